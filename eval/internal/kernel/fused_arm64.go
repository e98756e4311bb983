package kernel

// fused is a·b + c, rounded once: the language lets compilers fuse what is not
// converted in between, and on arm64 they make one instruction of it.
func fused(a, b, c float32) float32 { return a*b + c }
