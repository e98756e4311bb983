//go:build !amd64

package kernel

func fetch[T any](_ ahead, _ Set, _ []T, _ []int32) {}
