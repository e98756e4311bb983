//go:build !amd64

package eval

func features() []feature { return nil }
