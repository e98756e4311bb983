package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// fuzzRun is what the runs of one fuzz target came to, all together.
type fuzzRun struct {
	Target     string `json:"target"`
	Package    string `json:"package"`
	Asks       string `json:"asks"` // of whatever it is given
	Seconds    int    `json:"seconds"`
	Executions int    `json:"executions"`
	Findings   int    `json:"findings"`
	Mended     int    `json:"mended"` // of them
}

const fuzzFile = "internal/trust/fuzz.json"

func fuzzRuns() ([]*fuzzRun, error) {
	data, err := os.ReadFile(fuzzFile)
	if err != nil {
		return nil, err
	}
	var runs []*fuzzRun
	if err := json.Unmarshal(data, &runs); err != nil {
		return nil, fmt.Errorf("%s: %w", fuzzFile, err)
	}
	return runs, nil
}

var (
	fuzzTarget  = regexp.MustCompile(`^==> \S+ (Fuzz\w+)$`)
	fuzzElapsed = regexp.MustCompile(`^fuzz: elapsed: (\S+), execs: (\d+) `)
)

// addFuzz adds what `make fuzz` printed to the runs.
func addFuzz(log string) error {
	runs, err := fuzzRuns()
	if err != nil {
		return err
	}
	f, err := os.Open(log)
	if err != nil {
		return err
	}
	defer f.Close()
	var at *fuzzRun
	var seconds, executions int
	end := func() {
		if at != nil {
			at.Seconds, at.Executions = at.Seconds+seconds, at.Executions+executions
		}
		at, seconds, executions = nil, 0, 0
	}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if m := fuzzTarget.FindStringSubmatch(line); m != nil {
			end()
			k := slices.IndexFunc(runs, func(r *fuzzRun) bool { return r.Target == m[1] })
			if k < 0 {
				return fmt.Errorf("%s has no %s; say there what it asks", fuzzFile, m[1])
			}
			at = runs[k]
		} else if m := fuzzElapsed.FindStringSubmatch(line); m != nil {
			d, err := time.ParseDuration(m[1])
			if err != nil {
				return err
			}
			seconds = int(d.Seconds())
			if executions, err = strconv.Atoi(m[2]); err != nil {
				return err
			}
		}
	}
	end()
	data, err := json.MarshalIndent(runs, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(fuzzFile, append(data, '\n'), 0o644)
}

//go:embed hostile.md
var hostile string

// fuzzing writes what the fuzz targets came to, and what the hostile files.
func fuzzing(b *bytes.Buffer, runs []*fuzzRun) {
	fmt.Fprint(b, `
## Fuzzing

`+"`make fuzz FUZZTIME=5m`"+` runs every target. The figures are those of all runs so far, on two busy cores; `+"`go run ./internal/trust\n-fuzz LOG`"+` adds a run by what it printed.

| target | package | asks that | time | executions | findings | mended |
|---|---|---|--:|--:|--:|--:|
`)
	for _, r := range runs {
		fmt.Fprintf(b, "| %s | %s | %s | %d s | %s | %d | %d |\n", r.Target, r.Package, r.Asks, r.Seconds, grouped(r.Executions), r.Findings, r.Mended)
	}
	fmt.Fprintf(b, "\n%s", hostile)
}

// fuzzed sums up the runs.
func fuzzed(runs []*fuzzRun) fuzzRun {
	var sum fuzzRun
	for _, r := range runs {
		sum.Executions += r.Executions
		sum.Findings += r.Findings
		sum.Mended += r.Mended
	}
	return sum
}

// grouped writes a number with a comma every three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
