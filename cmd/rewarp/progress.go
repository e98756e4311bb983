package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far long work is, on a terminal only.
type progress struct {
	terminal *os.File // nil: quiet
	what     string
	unit     string
	start    time.Time
	bar      *progressbar.ProgressBar
}

// patience is how long work may take before it is worth a bar.
const patience = 300 * time.Millisecond

func (a *app) progress(what, unit string) *progress {
	p := &progress{what: filepath.Base(what), unit: unit, start: time.Now()}
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal = f
	}
	return p
}

// update is for eval.WithProgress, whose calls come one at a time.
func (p *progress) update(done, total int64) {
	if p.terminal == nil || p.bar == nil && time.Since(p.start) < patience {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.terminal),
			progressbar.OptionSetDescription(p.what),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(p.unit),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
		)
	}
	_ = p.bar.Set64(done) // a bar is no reason to fail
}

// finish clears the line.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
