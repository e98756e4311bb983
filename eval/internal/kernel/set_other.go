//go:build !amd64

package kernel

const best = Portable
