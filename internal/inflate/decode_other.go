//go:build !amd64

package inflate

const fast = false

func decode(lanes []stream) { decodeGo(lanes) }

func checksum(b []byte) uint32 { return adler(1, 0, b) }
