package gdalio

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	o := New(WithFeatures(Int8))
	for _, c := range []struct{ version, built, fail string }{
		{"3.7.0", "3.7.2", ""},
		{"3.10.0dev", "3.7.0", ""},
		{"3.7.1", "3.8.0", "is older than the 3.8.0 that this program was built for"},
		{"3.8.0", "3.6.2", "was built for GDAL 3.6.2, which has no int8 samples"},
		{"3.6.4", "3.6.2", "GDAL 3.6.4 has no int8 samples: 3.7 or later"},
		{"2.4.0", "2.4.0", "too old"},
		{"", "", "no GDAL"},
		{"unknown", "3.7.0", ""},
	} {
		_, err := o.compare(c.version, c.built, nil)
		if (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%s built for %s: %v, want %q", c.version, c.built, err, c.fail)
		}
	}
}
