package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/ours"
	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/report"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

const limit = 2 * time.Minute // for one request

// driver runs every case on every peer.
type driver struct {
	*config
	ctx   context.Context
	began time.Time
	run   *report.Run
	truth map[string]*raster.Buffer
	live  map[string]*peer.Process
}

// measure runs everything and writes the report: once without the workload that
// takes longest, so that a run that is cut short there leaves the rest.
func (d *driver) measure() error {
	cases := d.cases()
	d.truth = map[string]*raster.Buffer{}
	d.run = &report.Run{
		Quick: d.quick, Cases: cases, Versions: map[string]string{}, Missing: map[string]string{}, Bandwidth: map[int]float64{},
	}
	d.describe()
	if err := d.settings().Make(d.ctx, cases, func(s string) { say("%s", s) }); err != nil {
		return err
	}
	for threads := 1; threads <= 2; threads++ {
		d.run.Bandwidth[threads] = bandwidth(threads)
		if err := d.pass(threads, cases); err != nil {
			return err
		}
	}
	d.cores(cases)
	d.torchvision()
	if err := d.save(); err != nil {
		return err
	}
	if !d.huge || !d.only.MatchString("i/rotation") {
		return nil
	}
	if err := d.runHuge(); err != nil {
		return err
	}
	return d.save()
}

// save writes the results so far and the report of them.
func (d *driver) save() error {
	d.run.Minutes = time.Since(d.began).Minutes()
	data, err := json.MarshalIndent(d.run, "", " ")
	if err != nil {
		return err
	}
	results := filepath.Join(d.cache, "results.json")
	if err := os.WriteFile(results, data, 0o644); err != nil {
		return err
	}
	say("results in %s", results)
	return d.run.Write(d.out)
}

// pass runs the cases at a number of threads, with a process a peer.
func (d *driver) pass(threads int, cases []workload.Case) error {
	d.live = map[string]*peer.Process{}
	defer func() {
		for _, p := range d.live {
			p.Stop()
		}
	}()
	for i := range cases {
		c := &cases[i]
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if threads != threadsOf(c) && threadsOf(c) != 0 {
			continue
		}
		d.one(c, threads)
	}
	return nil
}

// threadsOf is the one number of threads that a case is about, or 0.
func threadsOf(c *workload.Case) int {
	switch c.Kind {
	case workload.Engine, workload.Curve, workload.Session, workload.Wrap:
		return 1
	case workload.Throughput:
		return 2
	}
	return 0
}

// contender is a peer that has set the case up.
type contender struct {
	*peer.Process
	m      *report.Measure
	rounds int
	done   int // operations, so that windows go on where the last round ended
}

func (d *driver) one(c *workload.Case, threads int) {
	began := time.Now()
	var field []*contender
	for _, p := range d.peers() {
		if c.Ours && p.Name != report.Ours {
			continue
		}
		m := &report.Measure{Case: c.ID, Threads: threads, Peer: p.Name}
		if threads > 1 && single[p.Name] {
			d.repeatSingle(m)
			continue
		}
		x, err := d.ready(p, c, m)
		if err != nil {
			d.fail(m, err)
			continue
		}
		if x != nil {
			field = append(field, x)
		}
	}
	// Round-robin, each round beginning with another peer, so that what the machine does besides hits all alike.
	for round := range d.rounds {
		for i := range field {
			x := field[(i+round)%len(field)]
			if round >= x.rounds || x.m.Failed != "" {
				continue
			}
			t, err := x.Run(x.done, x.m.Batch, limit)
			x.done += x.m.Batch
			if err != nil {
				d.fail(x.m, err)
				continue
			}
			x.m.Rounds = append(x.m.Rounds, t)
		}
	}
	line := ""
	for _, x := range field {
		if err := x.Drop(limit); err != nil {
			d.fail(x.m, err)
		}
		if x.m.Failed == "" {
			d.run.Measures = append(d.run.Measures, *x.m)
			line += fmt.Sprintf("  %s %.4g ms", x.Name, 1e3*x.m.Median())
		}
	}
	say("%3.0fs %s, %d threads (%.1fs):%s", time.Since(d.began).Seconds(), c.ID, threads, time.Since(began).Seconds(), line)
}

// ready starts the peer if it does not run, sets the case up, checks the output
// and finds out how many operations a round takes. It returns nothing where the
// peer is missing altogether.
func (d *driver) ready(p peer.Peer, c *workload.Case, m *report.Measure) (*contender, error) {
	if _, missing := d.run.Missing[p.Name]; missing {
		return nil, nil
	}
	run := d.live[p.Name]
	if run == nil {
		var err error
		if run, err = p.Start(m.Threads); err != nil {
			d.run.Missing[p.Name] = err.Error()
			say("%s is left out: %v", p.Name, err)
			return nil, nil
		}
		d.live[p.Name] = run
		d.run.Versions[p.Name] = run.Versions
	}
	var err error
	if m.Sampling, m.Work, err = run.Setup(c, limit); err != nil {
		return nil, err
	}
	x := &contender{Process: run, m: m, rounds: d.rounds}
	first, err := x.Run(0, 1, limit)
	if err != nil {
		return nil, err
	}
	x.done = 1
	if c.Truth != "" {
		if err := d.compare(x, c); err != nil {
			return nil, err
		}
	}
	if first > 1 { // too long to be worth another look
		m.Batch, x.rounds = 1, roundsOf(first, d.rounds)
		return x, nil
	}
	return x, x.calibrate(d.round)
}

// roundsOf is how many rounds are worth it for an operation of t seconds.
func roundsOf(t float64, rounds int) int {
	switch {
	case t > 5:
		return 1
	case t > 1:
		return min(rounds, 3)
	}
	return rounds
}

// calibrate chooses how many operations fill a round. Where making an operation
// ready takes longer than the operation, a round is bounded by that.
func (x *contender) calibrate(round time.Duration) error {
	n := 1
	for {
		began := time.Now()
		t, err := x.Run(x.done, n, limit)
		wall := max(time.Since(began), time.Microsecond)
		x.done += n
		if err != nil {
			return err
		}
		total := time.Duration(t * float64(n) * 1e9)
		if total < round/4 && wall < round && n < 1<<20 {
			n *= min(64, max(2, int(round/2/max(total, wall/8, 1))))
			continue
		}
		x.m.Batch = max(1, min(int(round.Seconds()/t), int(float64(n)*float64(4*round)/float64(wall))))
		x.rounds = roundsOf(t, x.rounds)
		return nil
	}
}

func (d *driver) compare(x *contender, c *workload.Case) error {
	truth, ok := d.truth[c.ID]
	if !ok {
		var err error
		if truth, err = ours.Truth(d.ctx, c); err != nil {
			say("%s has no reference: %v", c.ID, err)
		}
		d.truth[c.ID] = truth
	}
	if truth == nil {
		return nil
	}
	got, err := x.Result(c.Probe(), limit)
	if err != nil {
		return err
	}
	if got.W != truth.W || got.H != truth.H || got.Bands != truth.Bands {
		return fmt.Errorf("its output has the shape %d×%d×%d, expected %d×%d×%d", got.W, got.H, got.Bands, truth.W, truth.H, truth.Bands)
	}
	x.m.Diff = report.Compare(truth, got, c.Range)
	x.m.Judge()
	return nil
}

// fail notes that a peer did not do a case. A process that is gone is started
// again for the next one.
func (d *driver) fail(m *report.Measure, err error) {
	m.Failed = err.Error()
	var unable peer.ErrUnable
	m.Unable = errors.As(err, &unable)
	if !m.Unable {
		say("%s failed at %s: %v", m.Peer, m.Case, err)
	}
	if errors.Is(err, peer.ErrGone) {
		if p := d.live[m.Peer]; p != nil {
			p.Stop()
			delete(d.live, m.Peer)
		}
	}
	d.run.Measures = append(d.run.Measures, *m)
}

// single are the peers that have one thread only.
var single = map[string]bool{"ximage": true, "pillow": true, "skimage": true}

// repeatSingle takes the figure for one thread.
func (d *driver) repeatSingle(m *report.Measure) {
	i := slices.IndexFunc(d.run.Measures, func(o report.Measure) bool { return o.Case == m.Case && o.Peer == m.Peer && o.Threads == 1 })
	if i >= 0 {
		again := d.run.Measures[i]
		again.Threads, again.Single = m.Threads, true
		d.run.Measures = append(d.run.Measures, again)
	}
}
