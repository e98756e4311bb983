package peer

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// TestMain is also the peer that the test starts.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_THREADS") == "" {
		os.Exit(m.Run())
	}
	err := Serve(os.Stdin, os.Stdout, "fake 1", func(c workload.Case) (*Job, error) {
		if c.Kind != workload.Affine {
			return nil, ErrUnable("affine only")
		}
		out := raster.New(raster.Uint8, 1, 1, 1)
		return &Job{
			Sampling: "none", Work: Same,
			Op: func(i int) error {
				if i == 13 {
					time.Sleep(time.Minute)
				}
				if i == 7 {
					return errors.New("seven")
				}
				out.Set(0, 0, 0, float64(i))
				return nil
			},
			Result: func([4]int) (*raster.Buffer, error) { return out, nil },
		}, nil
	})
	if err != nil {
		panic(err)
	}
}

func TestProcess(t *testing.T) {
	p, err := Peer{Name: "fake", Command: []string{os.Args[0]}}.Start(1)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	const limit = 10 * time.Second
	if p.Versions != "fake 1" {
		t.Errorf("versions %q", p.Versions)
	}
	var unable ErrUnable
	if _, _, err := p.Setup(&workload.Case{Kind: workload.Window}, limit); !errors.As(err, &unable) {
		t.Errorf("a case that it cannot do: %v", err)
	}
	sampling, work, err := p.Setup(&workload.Case{Kind: workload.Affine}, limit)
	if err != nil || sampling != "none" || work != Same {
		t.Fatalf("setup: %q %q %v", sampling, work, err)
	}
	if _, err := p.Run(0, 3, limit); err != nil {
		t.Fatal(err)
	}
	b, err := p.Result([4]int{0, 0, 1, 1}, limit)
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := b.At(0, 0, 0); v != 2 {
		t.Errorf("the last round gave %v, expected 2", v)
	}
	if _, err := p.Run(7, 1, limit); err == nil || err.Error() != "seven" {
		t.Errorf("a round that fails: %v", err)
	}
	if _, err := p.Run(13, 1, 50*time.Millisecond); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "no answer to run") {
		t.Errorf("a round that takes too long: %v", err)
	}
	if _, err := p.Run(0, 1, limit); !errors.Is(err, ErrGone) {
		t.Errorf("after it was stopped: %v", err)
	}
}

func TestMissingPeerSaysWhy(t *testing.T) {
	if _, err := (Peer{Name: "x", Missing: "no such thing"}).Start(1); err == nil || err.Error() != "no such thing" {
		t.Error(err)
	}
}
