// Package peertest compares values with GDAL, OpenCV and SciPy, which nobody
// here wrote. Its tests need them, and the build tag peers; `make oracle-peers`
// installs and runs them, and writes docs/peers.md and its pictures.
package peertest
