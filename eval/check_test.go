package eval

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/eval/internal/kernel"
)

func TestMissing(t *testing.T) {
	all := []feature{{"ONE", AVX2, true}, {"TWO", AVX512, false}, {"THREE", AVX512, true}, {"FOUR", AVX512, false}}
	if got := missing(AVX512, all); got != "this processor lacks TWO, FOUR" {
		t.Errorf("got %q", got)
	}
	if got := missing(AVX2, all); !strings.Contains(got, "no such kernels") {
		t.Errorf("got %q", got)
	}
}

// TestFeatures: what is said to be missing is what keeps a set from being the
// best.
func TestFeatures(t *testing.T) {
	if len(features()) == 0 {
		t.Skip("no kernels but the portable ones")
	}
	for k := AVX2; k <= AVX512; k++ {
		if lacking := strings.Contains(lacks(k), "lacks"); lacking != (k > kernel.Best()) {
			t.Errorf("%v: %s; the best set is %v", k, lacks(k), kernel.Best())
		}
	}
}

func TestNotes(t *testing.T) {
	s, err := Open(t.Context(), WithKernels(AVX512+1), WithThreads(runtime.GOMAXPROCS(0)+3))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	notes := s.Notes()
	if len(notes) != 2 || notes[0].About != "kernels" || !strings.HasSuffix(notes[0].Text, kernel.Best().String()+" is used") || notes[1].About != "threads" {
		t.Errorf("notes %v", notes)
	}
	_, err = Open(t.Context(), WithKernels(AVX512+1), WithStrict())
	var refused *StrictError
	if !errors.As(err, &refused) {
		t.Errorf("a strict session: %v", err)
	}
}
