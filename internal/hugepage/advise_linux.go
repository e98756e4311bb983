package hugepage

import "syscall"

const hugePage = 14 // MADV_HUGEPAGE, the same on all architectures but PA-RISC

// advise asks for large pages. Kernels without them refuse, which changes
// nothing.
func advise(b []byte) { _ = syscall.Madvise(b, hugePage) }
