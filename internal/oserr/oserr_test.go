package oserr

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestCause(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, open := os.Open(missing)
	rename := os.Rename(missing, missing+"2")
	for _, err := range []error{open, fmt.Errorf("wrapped: %w", open), rename} {
		if c := Cause(err); !errors.Is(c, fs.ErrNotExist) || c.Error() != "no such file or directory" {
			t.Errorf("%v has the cause %v", err, c)
		}
	}
	if other := errors.New("another"); Cause(other) != other || Cause(nil) != nil {
		t.Error("an error that is not of package os changed")
	}
}
