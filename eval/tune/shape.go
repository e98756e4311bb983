package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/eval"
)

// Shape tells apart trees that run differently, and not those that run alike:
// it covers the operations and how they share, samplings, the kind and the
// scale of each warp, canvases, tiles of files and scales to the power of two,
// bands and types, but no uri, no window and no value. It is stable across
// processes.
func Shape(tree ast.Node) string {
	h := sha256.New()
	index := map[ast.Node]int{}
	_ = ast.Walk(tree, func(n ast.Node) error {
		index[n] = len(index)
		fmt.Fprintf(h, "%s", n.Op())
		for i := range n.NumInputs() {
			fmt.Fprintf(h, " #%d", index[n.Input(i)])
		}
		if n.Known() {
			fmt.Fprintf(h, " %s %s", rough(n.Size()), types(n))
		}
		switch n := n.(type) {
		case *ast.Warp:
			m := n.Transform()
			fmt.Fprintf(h, " %s %+v %v", kind(m), n.Sampling(), n.Domain().Len() > 0)
			j := m.Jacobian(0, 0)
			fmt.Fprintf(h, " %d %d", octave(math.Hypot(j[0], j[2])), octave(math.Hypot(j[1], j[3])))
		case *ast.Overview:
			fmt.Fprintf(h, " %d %v", n.Level(), n.Stored())
		case *ast.Load:
			if m, ok := n.Meta(); ok {
				fmt.Fprintf(h, " %s %d %v", rough(m.Block), len(m.Overviews), m.HasMask)
			}
		case *ast.Fill:
			_, constant := n.Value()
			fmt.Fprintf(h, " %v", constant)
		}
		fmt.Fprintln(h)
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// rough is a size to the power of two.
func rough(s geom.Size) string {
	return fmt.Sprintf("%d×%d", bits.Len(uint(s.W)), bits.Len(uint(s.H)))
}

func octave(v float64) int {
	if !(v > 0) || math.IsInf(v, 0) {
		return math.MinInt32
	}
	return int(math.Round(math.Log2(v)))
}

func kind(m geom.Transform) string {
	if _, ok := m.Copy(); ok {
		return "copy"
	}
	switch {
	case !m.IsAffine():
		return "projective"
	case m[1] == 0 && m[3] == 0:
		return "scale"
	}
	return "affine"
}

// types lists the types of the bands, runs of one type together.
func types(n ast.Node) string {
	var b strings.Builder
	for i, k := 0, 0; i < n.NumBands(); i = k {
		for k = i; k < n.NumBands() && n.Band(k).Type == n.Band(i).Type; k++ {
		}
		fmt.Fprintf(&b, "%d*%v,", k-i, n.Band(i).Type)
	}
	return b.String()
}

// CPU names the kind of processor as far as it decides what is fastest: its
// model where the system tells it, the best kernels, and how many run at once.
func CPU() string {
	return fmt.Sprintf("%s, %s, %v, %d at a time", model(), runtime.GOARCH, eval.BestKernels(), runtime.GOMAXPROCS(0))
}

var model = sync.OnceValue(func() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(data)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.Join(strings.Fields(value), " ")
			}
		}
	}
	return "unknown model"
})
