package report

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

func TestMedianAndSpread(t *testing.T) {
	m := Measure{Rounds: []float64{5, 1, 3, 2, 4}}
	if m.Median() != 3 || math.Abs(m.Spread()-1.0/3) > 1e-12 {
		t.Errorf("median %v, spread %v", m.Median(), m.Spread())
	}
	if m = (Measure{Rounds: []float64{2, 4}}); m.Median() != 3 {
		t.Errorf("median of two is %v", m.Median())
	}
}

func TestCompareRoundsTheTruth(t *testing.T) {
	truth, err := raster.FromSlice([]float32{1.4, 2.6, float32(math.NaN())}, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := raster.FromSlice([]uint8{1, 2, 9}, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := Compare(truth, got, 10); d.Max != 0.1 || d.Mean != 0.05 || d.Mask != 0 {
		t.Errorf("%+v", d)
	}
	floats, err := raster.FromSlice([]float32{1.4, float32(math.NaN()), float32(math.NaN())}, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := Compare(truth, floats, 10); d.Max != 0 || math.Abs(d.Mask-1.0/3) > 1e-12 {
		t.Errorf("%+v", d)
	}
}

func TestJudgeBelievesTheOutput(t *testing.T) {
	for _, c := range []struct {
		work peer.Work
		diff Difference
		want peer.Work
	}{
		{peer.Same, Difference{Mean: 0.001}, peer.Same},
		{peer.Same, Difference{Mean: 0.02}, peer.Coarser},
		{peer.Same, Difference{Mask: 0.1}, peer.Coarser},
		{peer.Kernel, Difference{Mean: 0.02}, peer.Kernel},
	} {
		m := Measure{Work: c.work, Diff: &c.diff}
		if m.Judge(); m.Work != c.want {
			t.Errorf("%s with %+v is %s, expected %s", c.work, c.diff, m.Work, c.want)
		}
	}
}

// sample has one case that a peer wins, one that it wins by doing less, and one
// that ours wins by more than the goal.
func sample() *Run {
	measure := func(id, name string, seconds float64, work peer.Work) Measure {
		return Measure{Case: id, Threads: 1, Peer: name, Rounds: []float64{seconds, seconds}, Work: work, Diff: &Difference{}}
	}
	return &Run{
		Bandwidth: map[int]float64{1: 1e10, 2: 1e10},
		Cases: []workload.Case{
			{ID: "e/lost", Group: "e", Truth: workload.Oracle, Moved: 1e6},
			{ID: "e/less", Group: "e", Truth: workload.Oracle, Moved: 1e6},
			{ID: "e/won", Group: "e", Truth: workload.Oracle, Moved: 1e6},
		},
		Measures: []Measure{
			measure("e/lost", Ours, 0.02, peer.Same), measure("e/lost", "opencv", 0.01, peer.Same),
			measure("e/less", Ours, 0.02, peer.Same), measure("e/less", "opencv", 0.005, peer.Coarser),
			measure("e/less", "gdal", 0.05, peer.Same),
			measure("e/won", Ours, 0.02, peer.Same), measure("e/won", "opencv", 0.06, peer.Same),
			{Case: "e/won", Threads: 1, Peer: "vips", Failed: "it broke"},
		},
	}
}

func TestReportPutsWhoIsAheadFirst(t *testing.T) {
	dir := t.TempDir()
	if err := sample().Write(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	at := 0
	for _, want := range []string{
		"**Ahead of rewarp, in 2 places:**",
		"- **e/less, 1 thread: OpenCV is 4.00 times as fast**",
		"- **e/lost, 1 thread: OpenCV is 2.00 times as fast**",
		"It is met in 2 of 3 cases",
		"| e/lost, 1 thread | OpenCV | 0.50 |",
		"## Pixels",
		"| e/lost | 1 | 20.0 ± 0 % | 0.50 % | **0.50** | 10.0 |",
		"| e/less | 1 | 20.0 ± 0 % | 0.50 % | 2.50 | 5.00`*` | 50.0 |",
		"- libvips, e/won, 1 thread: it broke",
	} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %q after byte %d of\n%s", want, at, text)
		}
		at += i
	}
	if strings.Contains(text, "%!") {
		t.Errorf("a verb without a value in\n%s", text)
	}
	if fi, err := os.Stat(filepath.Join(dir, "img", "benchmarks.png")); err != nil || fi.Size() == 0 {
		t.Errorf("chart: %v", err)
	}
}

// TestReasonsFitCases: each reason is given for some case that there is.
func TestReasonsFitCases(t *testing.T) {
	cases := workload.Cases(workload.Settings{})
	for _, r := range reasons {
		if !slices.ContainsFunc(cases, func(c workload.Case) bool { return reason(c.ID) == r.text }) {
			t.Errorf("no case has the reason %q", r.text)
		}
	}
}
