package eval

import "golang.org/x/sys/cpu"

// features are what kernels use of the processor beyond amd64's baseline.
func features() []feature {
	x := &cpu.X86
	return []feature{
		{"AVX2", AVX2, x.HasAVX2}, {"FMA", AVX2, x.HasFMA},
		{"AVX512F", AVX512, x.HasAVX512F},
		{"AVX512BW", AVX512, x.HasAVX512BW},
		{"AVX512DQ", AVX512, x.HasAVX512DQ},
		{"AVX512VL", AVX512, x.HasAVX512VL},
		{"AVX512_VBMI", AVX512, x.HasAVX512VBMI},
		{"AVX512_VNNI", AVX512, x.HasAVX512VNNI},
	}
}
