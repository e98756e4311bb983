package main

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/report"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// cores measures what two cores give over one where nothing is shared: for the
// engine's own work in two processes, and for additions in registers.
func (d *driver) cores(cases []workload.Case) {
	i := slices.IndexFunc(cases, func(c workload.Case) bool { return c.Kind == workload.Throughput && c.Nodes == 1 })
	if i < 0 || runtime.NumCPU() < 2 {
		return
	}
	d.run.Adds = median(d.rounds, func() (float64, error) {
		one := addOn(1)
		return 2 * one.Seconds() / addOn(2).Seconds(), nil
	})
	var both [2]*peer.Process
	for k := range both {
		p, err := d.peers()[0].Start(len(both)) // on any core
		if err == nil {
			defer p.Stop()
			_, _, err = p.Setup(&cases[i], limit)
		}
		if err != nil {
			say("the engine in two processes: %v", err)
			return
		}
		both[k] = p
	}
	const trees = 20_000
	d.run.Processes = median(d.rounds, func() (float64, error) {
		one, err := both[0].Run(0, trees, limit)
		if err != nil {
			return 0, err
		}
		var times [len(both)]float64
		var errs [len(both)]error
		var all sync.WaitGroup
		for k, p := range both {
			all.Go(func() { times[k], errs[k] = p.Run(0, trees, limit) })
		}
		all.Wait()
		if errs[0] != nil {
			return 0, errs[0]
		}
		return one/times[0] + one/times[1], errs[1]
	})
	say("two cores over one: %.2f in two processes, %.2f for additions", d.run.Processes, d.run.Adds)
}

// median is the median of what rounds of f give, 0 where one fails.
func median(rounds int, f func() (float64, error)) float64 {
	var m report.Measure
	for range rounds {
		v, err := f()
		if err != nil {
			say("two cores over one: %v", err)
			return 0
		}
		m.Rounds = append(m.Rounds, v)
	}
	return m.Median()
}

// addOn is the time that threads take to add as fast as a core can, each as
// often as one would alone.
func addOn(threads int) time.Duration {
	sums := make([]uint64, threads)
	start := time.Now()
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() { sums[i] = adds(20_000_000) })
	}
	all.Wait()
	return time.Since(start)
}

// adds does eight additions a round that do not wait for each other, and touches
// no memory.
//
//go:noinline
func adds(rounds uint64) uint64 {
	var a, b, c, d, e, f, g, h uint64
	for i := range rounds {
		a, b, c, d = a+i, b+i, c+i, d+i
		e, f, g, h = e+i, f+i, g+i, h+i
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h
}
