//go:build unix

package hostile_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/gdalio"
)

// TestPipes: a named pipe that nobody writes to is refused, and not waited for.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.tif")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	p := eval.Policy{Folders: []string{dir}, Handlers: []string{"vsigzip", "vsizip"}}
	for name, o := range map[string]eval.Opener{
		"gdalio": gdalio.New(), "imagefile": imagefile.New(),
		"gdalio, restricted": eval.Restrict(gdalio.New(), p), "imagefile, restricted": eval.Restrict(imagefile.New(), p),
	} {
		uris := []string{pipe, "file://" + pipe}
		if strings.Contains(name, "restricted") {
			uris = append(uris, "/vsigzip/"+pipe, "/vsizip/"+pipe, "/vsizip/{"+pipe+"}/a.tif")
		}
		for _, uri := range uris {
			done := make(chan error, 1)
			go func() {
				_, err := o.Describe(bg, uri)
				done <- err
			}()
			select {
			case err := <-done:
				if err == nil {
					t.Errorf("%s describes %s", name, uri)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("%s waits for %s", name, uri)
			}
		}
	}
}
