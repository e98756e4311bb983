//go:build !amd64

package kernel

func streamCopy(dst, src []byte) { copy(dst, src) }

func streamOnes(dst []byte) {
	for i := range dst {
		dst[i] = 255
	}
}
