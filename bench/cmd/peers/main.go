// Peers measures the workloads of the project on rewarp and on the libraries that do the same, and writes
// docs/benchmarks.md. It is what `make bench-peers` runs.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/rewarp/rewarp/bench/internal/ours"
	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/report"
	"github.com/rewarp/rewarp/bench/internal/workload"
	"github.com/rewarp/rewarp/bench/internal/ximage"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "worker" {
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// serve is the process of a peer that is written in Go.
func serve(name string) error {
	if name == "ximage" {
		return peer.Serve(os.Stdin, os.Stdout, "golang.org/x/image "+module("golang.org/x/image"), ximage.Setup)
	}
	threads, err := strconv.Atoi(os.Getenv("BENCH_THREADS"))
	if err != nil {
		return fmt.Errorf("BENCH_THREADS: %w", err)
	}
	w, err := ours.NewWorker(threads)
	if err != nil {
		return err
	}
	return peer.Serve(os.Stdin, os.Stdout, w.Versions(), w.Setup)
}

type config struct {
	root, cache, out string
	quick, huge      bool
	only             *regexp.Regexp
	render           string
	rounds           int
	round            time.Duration
}

func flags() (*config, error) {
	c := &config{}
	flag.StringVar(&c.root, "root", "..", "the project's folder")
	flag.StringVar(&c.cache, "cache", filepath.Join(os.TempDir(), "rewarp-bench"), "where generated inputs are kept")
	flag.StringVar(&c.out, "out", "", "where benchmarks.md and img/benchmarks.png go (default: docs; bin/quick with -quick, bin/part with -only)")
	flag.BoolVar(&c.quick, "quick", false, "small images, few rounds, a few minutes")
	only := flag.String("only", "", "run the cases whose name matches this expression")
	flag.StringVar(&c.render, "render", "", "measure nothing, write the report of this file of results again")
	flag.BoolVar(&c.huge, "huge", true, "run workload i, which takes 2.5 GB on disk (never with -quick)")
	flag.Parse()
	var err error
	if c.only, err = regexp.Compile(*only); err != nil {
		return nil, err
	}
	if c.root, err = filepath.Abs(c.root); err != nil {
		return nil, err
	}
	c.rounds, c.round = 7, 120*time.Millisecond
	if c.quick {
		c.rounds, c.round, c.huge = 3, 40*time.Millisecond, false
	}
	if c.out == "" {
		c.out = filepath.Join(c.root, "docs")
		switch {
		case c.quick:
			c.out = filepath.Join(c.root, "bin", "quick")
		case *only != "":
			c.out = filepath.Join(c.root, "bin", "part")
		}
	}
	return c, nil
}

func run() error {
	c, err := flags()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c.render != "" {
		var r report.Run
		data, err := os.ReadFile(c.render)
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			return err
		}
		return r.Write(c.out)
	}
	return (&driver{config: c, ctx: ctx, began: time.Now()}).measure()
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// settings are what the inputs depend on.
func (c *config) settings() workload.Settings {
	return workload.Settings{Quick: c.quick, Dir: c.cache, Trees: filepath.Join(c.root, "testdata", "trees")}
}

// cases are those that were asked for.
func (c *config) cases() []workload.Case {
	return slices.DeleteFunc(workload.Cases(c.settings()), func(w workload.Case) bool { return !c.only.MatchString(w.ID) })
}
