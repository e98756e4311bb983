package kernel

import "golang.org/x/sys/cpu"

var best = func() Set {
	x := &cpu.X86
	switch {
	case !(x.HasAVX2 && x.HasFMA):
		return Portable
	case !(x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VBMI && x.HasAVX512VNNI):
		return AVX2
	}
	return AVX512
}()
