// Package hostile makes small broken image files, as a stranger would send
// them: truncated, corrupt, of absurd size, pointing at each other or at
// files elsewhere. Its tests read every one by every way that there is, and
// look for one clear error, bounded memory, no goroutine left and no partial
// output. The files lie in testdata/hostile.
package hostile

//go:generate go run ./gen ../../testdata/hostile

// File is a broken file. Both readers see it: GDAL, and package imagefile.
type File struct {
	Name string
	Data []byte

	// GDAL and Plain say how far the readers get.
	GDAL, Plain Outcome
}

// Outcome is how far a reader gets with a file.
type Outcome uint8

// The outcomes.
const (
	NoOpen Outcome = iota // describing it fails
	NoRead                // it is described, but reading its pixels fails
	Reads                 // it is read; what is broken does not matter, or is repaired
)

// Files are all of them, in order of their names.
func Files() []File {
	var all []File
	all = append(all, tiffs()...)
	all = append(all, pngs()...)
	all = append(all, jpegs()...)
	return append(all, vrts()...)
}
