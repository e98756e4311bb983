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
	start time.Time
	bar   *progressbar.ProgressBar // nil: quiet
	shown bool
}

// patience is how long work may take before it is worth a bar.
const patience = 300 * time.Millisecond

func (a *app) progress(what, unit string) *progress {
	p := &progress{start: time.Now()}
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		// Rates count from here on, although nothing is drawn yet.
		p.bar = progressbar.NewOptions64(1,
			progressbar.OptionSetWriter(f),
			progressbar.OptionSetDescription(filepath.Base(what)),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(unit),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
		)
	}
	return p
}

// update is for eval.WithProgress, whose calls come one at a time.
func (p *progress) update(done, total int64) {
	if p.bar == nil || !p.shown && time.Since(p.start) < patience {
		return
	}
	if !p.shown {
		p.shown = true
		p.bar.ChangeMax64(total)
	}
	_ = p.bar.Set64(done) // a bar is no reason to fail
}

// finish clears the line.
func (p *progress) finish() {
	if p.shown {
		_ = p.bar.Clear()
	}
}
