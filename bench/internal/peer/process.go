package peer

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// Peer is a library: how its process is started.
type Peer struct {
	Name    string
	Title   string // for a person
	Command []string
	Env     []string
	Missing string // why it cannot be started, if it is known beforehand
}

// Process is a peer that runs.
type Process struct {
	Peer
	Versions string

	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte
	errs  tail
}

// Start starts the peer with a number of threads; with one, on one core.
func (p Peer) Start(threads int) (*Process, error) {
	if p.Missing != "" {
		return nil, errors.New(p.Missing)
	}
	command := p.Command
	if path, err := exec.LookPath("taskset"); err == nil && threads == 1 {
		command = append([]string{path, "-c", lastCore()}, command...)
	}
	run := &Process{Peer: p, cmd: exec.Command(command[0], command[1:]...), lines: make(chan []byte, 1)}
	n := strconv.Itoa(threads)
	run.cmd.Env = append(os.Environ(), "BENCH_THREADS="+n, "GOMAXPROCS="+n, "VIPS_CONCURRENCY="+n, "OMP_NUM_THREADS="+n,
		"OPENBLAS_NUM_THREADS="+n, "PYTHONDONTWRITEBYTECODE=1")
	run.cmd.Env = append(run.cmd.Env, p.Env...)
	run.cmd.Stderr = &run.errs
	var err error
	if run.in, err = run.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := run.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := run.cmd.Start(); err != nil {
		return nil, err
	}
	go run.read(out)
	a, err := run.call(request{Op: "versions"}, 2*time.Minute)
	if err != nil {
		run.Stop()
		return nil, err
	}
	run.Versions = a.Versions
	return run, nil
}

// lastCore is the core that fewest other things run on, by custom.
func lastCore() string {
	out, err := exec.Command("nproc").Output()
	n, err2 := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || err2 != nil || n < 1 {
		return "0"
	}
	return strconv.Itoa(n - 1)
}

func (p *Process) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.lines <- append([]byte(nil), lines.Bytes()...)
	}
	close(p.lines)
}

// Stop ends the process.
func (p *Process) Stop() {
	_ = p.in.Close()
	done := make(chan struct{})
	go func() { _ = p.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = p.cmd.Process.Kill()
		<-done
	}
}

// ErrGone is returned for a process that died or had to be stopped.
var ErrGone = errors.New("the process is gone")

func (p *Process) call(r request, limit time.Duration) (answer, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	if _, err := p.in.Write(append(data, '\n')); err != nil {
		return answer{}, fmt.Errorf("%w: %s", ErrGone, p.errs.String())
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case line, ok := <-p.lines:
		var a answer
		if !ok {
			return a, fmt.Errorf("%w: %s", ErrGone, p.errs.String())
		}
		if err := json.Unmarshal(line, &a); err != nil {
			_ = p.cmd.Process.Kill()
			return a, fmt.Errorf("%w: it wrote %.100q", ErrGone, line)
		}
		switch {
		case a.Unable:
			return a, ErrUnable(a.Reason)
		case !a.OK:
			return a, errors.New(a.Reason)
		}
		return a, nil
	case <-timer.C:
		_ = p.cmd.Process.Kill()
		return answer{}, fmt.Errorf("%w: no answer to %s within %v", ErrGone, r.Op, limit)
	}
}

// Setup makes a case ready, and says what the peer will compute.
func (p *Process) Setup(c *workload.Case, limit time.Duration) (sampling string, work Work, err error) {
	a, err := p.call(request{Op: "setup", Case: c}, limit)
	return a.Sampling, a.Work, err
}

// Run runs n rounds and returns what one took, in seconds.
func (p *Process) Run(start, n int, limit time.Duration) (float64, error) {
	a, err := p.call(request{Op: "run", Start: start, N: n}, limit)
	return a.Seconds / float64(n), err
}

// Result is a window of the last round's output.
func (p *Process) Result(window [4]int, limit time.Duration) (*raster.Buffer, error) {
	f, err := os.CreateTemp("", "rewarp-bench-")
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	defer os.Remove(f.Name())
	a, err := p.call(request{Op: "result", Window: window, Path: f.Name()}, limit)
	if err != nil {
		return nil, err
	}
	t, err := raster.ParseDataType(a.Type)
	if err != nil {
		return nil, err
	}
	return workload.ReadRaw(f.Name(), t, a.Size[0], a.Size[1], a.Bands)
}

// Drop frees what a case holds.
func (p *Process) Drop(limit time.Duration) error {
	_, err := p.call(request{Op: "drop"}, limit)
	return err
}

// tail keeps the end of what a process says on standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write keeps the last 400 bytes.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-400):]
	return len(p), nil
}

// String is what was kept, on one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(strings.Fields(string(t.text)), " ")
}
