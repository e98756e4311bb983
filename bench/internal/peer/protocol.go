// Package peer runs the libraries that are compared, each in a process of its own that lives for the whole run, so that
// the start of an interpreter is never measured. A process reads requests from standard input and writes answers to
// standard output, one JSON object a line; the time of an operation is taken inside it.
package peer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// request is what the driver asks for.
type request struct {
	Op     string         `json:"op"` // setup, run, result, drop, versions
	Case   *workload.Case `json:"case,omitempty"`
	N      int            `json:"n,omitempty"`     // rounds to run
	Start  int            `json:"start,omitempty"` // number of the first one
	Path   string         `json:"path,omitempty"`  // where the result goes
	Window [4]int         `json:"window"`
}

// answer is what comes back.
type answer struct {
	OK       bool    `json:"ok"`
	Reason   string  `json:"reason,omitempty"`
	Unable   bool    `json:"unable,omitempty"`   // the library has no such operation
	Sampling string  `json:"sampling,omitempty"` // of setup
	Work     Work    `json:"work,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"` // of run, all rounds
	Type     string  `json:"type,omitempty"`    // of result
	Size     [2]int  `json:"size"`
	Bands    int     `json:"bands,omitempty"`
	Versions string  `json:"versions,omitempty"`
}

// Work says how what a peer computes compares with the case.
type Work string

// The kinds of work.
const (
	Same    Work = "same"    // the sampling that the case asks for
	Kernel  Work = "kernel"  // another kernel of about the same reach
	More    Work = "more"    // a wider kernel, or more steps
	Coarser Work = "coarser" // less: no widening, masks that bleed, coarse positions
)

// Job is a case that is set up.
type Job struct {
	Op       func(i int) error                               // one round
	Timed    func(n int) (time.Duration, error)              // instead of Op: n rounds, where making them ready is not measured
	Result   func(window [4]int) (b *raster.Buffer, e error) // part of what the last round gave
	Close    func()                                          // may be nil
	Sampling string
	Work     Work
}

// ErrUnable is returned by a setup for a case that the library cannot do.
type ErrUnable string

func (e ErrUnable) Error() string { return string(e) }

// Serve answers requests until the input ends.
func Serve(in io.Reader, out io.Writer, versions string, setup func(workload.Case) (*Job, error)) error {
	var job *Job
	enc := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		if err := enc.Encode(r.answer(&job, versions, setup)); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (r *request) answer(job **Job, versions string, setup func(workload.Case) (*Job, error)) answer {
	switch r.Op {
	case "versions":
		return answer{OK: true, Versions: versions}
	case "drop", "setup":
		if *job != nil && (*job).Close != nil {
			(*job).Close()
		}
		*job = nil
		runtime.GC() // what the last case left is not to be paid for by this one
		if r.Op == "drop" {
			return answer{OK: true}
		}
		j, err := setup(*r.Case)
		if err != nil {
			_, unable := err.(ErrUnable)
			return answer{Reason: err.Error(), Unable: unable}
		}
		*job = j
		return answer{OK: true, Sampling: j.Sampling, Work: j.Work}
	}
	if *job == nil {
		return answer{Reason: "nothing is set up"}
	}
	a, err := (*job).do(r)
	if err != nil {
		return answer{Reason: err.Error()}
	}
	return a
}

func (j *Job) do(r *request) (answer, error) {
	switch r.Op {
	case "run":
		if j.Timed != nil {
			d, err := j.Timed(r.N)
			return answer{OK: true, Seconds: d.Seconds()}, err
		}
		start := time.Now()
		for i := range r.N {
			if err := j.Op(r.Start + i); err != nil {
				return answer{}, err
			}
		}
		return answer{OK: true, Seconds: time.Since(start).Seconds()}, nil
	case "result":
		if j.Result == nil {
			return answer{}, fmt.Errorf("this case has no result")
		}
		b, err := j.Result(r.Window)
		if err != nil {
			return answer{}, err
		}
		err = os.WriteFile(r.Path, b.Bytes(), 0o644)
		return answer{OK: true, Type: b.Type.String(), Size: [2]int{b.W, b.H}, Bands: b.Bands}, err
	}
	return answer{}, fmt.Errorf("unknown request %q", r.Op)
}
