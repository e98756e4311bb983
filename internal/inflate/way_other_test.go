//go:build !amd64

package inflate

func slowly(f func()) { f() }
