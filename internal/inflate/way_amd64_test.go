package inflate

// slowly runs f without the kernels.
func slowly(f func()) {
	was := fast
	fast = false
	defer func() { fast = was }()
	f()
}
