// Package archtest holds tests of the module's shape: which package may import which, that the packages below gdalio
// build without C, and that everything exported is documented.
package archtest
