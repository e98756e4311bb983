//go:build peers

package peertest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
)

// job is what resample.py does.
type job struct {
	In     string    `json:"in"`
	Size   [2]int    `json:"size"`
	Out    string    `json:"out"`
	To     [2]int    `json:"to"`
	Call   string    `json:"call"`
	How    string    `json:"how"`
	Border string    `json:"border"`
	Matrix []float64 `json:"matrix"`
}

// python runs the comparisons of OpenCV and SciPy in one process, and returns
// the versions. Results are in the order of the comparisons, nil for others.
func python(t testing.TB, all []comparison, from map[string]picture, dir string) (results []*raster.Buffer, versions map[string]string) {
	t.Helper()
	interpreter := os.Getenv("REWARP_PEERS_PYTHON")
	if interpreter == "" {
		t.Fatal("REWARP_PEERS_PYTHON does not name an interpreter with OpenCV and SciPy; make oracle-peers does this")
	}
	for name, p := range from {
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, raster.Samples[float32](p.pix)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".f32"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	jobs := []job{}
	for i, c := range all {
		if !c.isPython() {
			continue
		}
		inv, _ := c.m.Inverse()
		p := from[c.source]
		jobs = append(jobs, job{
			In: filepath.Join(dir, c.source+".f32"), Size: [2]int{p.pix.W, p.pix.H}, Out: filepath.Join(dir, fmt.Sprint(i, ".f32")), To: [2]int{c.to.W, c.to.H},
			Call: c.call, How: c.how, Border: c.sampling.Border.String(), Matrix: inv[:6],
		})
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, "testdata/resample.py")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &versions); err != nil {
		t.Fatal(err)
	}
	results = make([]*raster.Buffer, len(all))
	for i, c := range all {
		if c.isPython() {
			results[i] = readFloats(t, filepath.Join(dir, fmt.Sprint(i, ".f32")), c.to.W, c.to.H)
		}
	}
	return results, versions
}

func (c comparison) isPython() bool { return c.peer == "OpenCV" || c.peer == "SciPy" }

func readFloats(t testing.TB, path string, w, h int) *raster.Buffer {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) != 4*w*h {
		t.Fatalf("%s has %d bytes, want %d×%d samples", path, len(data), w, h)
	}
	b := raster.New(raster.Float32, w, h, 1)
	for i := range raster.Samples[float32](b) {
		raster.Samples[float32](b)[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return b
}
