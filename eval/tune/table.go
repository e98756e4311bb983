package tune

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// Status is what became of a variant.
type Status string

// The statuses.
const (
	OK        Status = "ok"
	Failed    Status = "failed"    // it gave no pixels
	Wrong     Status = "wrong"     // its pixels are not what they should be
	Unchecked Status = "unchecked" // there was nothing to compare with
)

// Row is what was found out about one variant.
type Row struct {
	Variant
	Status   Status
	Why      string        // unless it is ok
	Latency  time.Duration // of a round: all windows once; the median
	Spread   time.Duration // between the quartiles
	Rounds   int
	SpeedUp  float64 // over the session as it is
	Threads  int     // in force
	Kernels  string  // in force
	Fidelity string  // in force

	// Errors against the reference are parts of the range of its values, NaN
	// where there is none.
	MeanError, MaxError float64
	Masks               int   // samples whose validity differs
	Memory              int64 // bytes: output, working memory, cached blocks
}

// Eligible reports whether the variant may be chosen: it gave pixels, and they
// are not known to be wrong.
func (r *Row) Eligible() bool { return r.Status == OK || r.Status == Unchecked }

// MarshalJSON writes times in seconds, and null for an error that is unknown.
func (r Row) MarshalJSON() ([]byte, error) {
	known := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	return json.Marshal(struct {
		Name     string   `json:"name"`
		Status   Status   `json:"status"`
		Why      string   `json:"why,omitempty"`
		Latency  float64  `json:"latency_seconds"`
		Spread   float64  `json:"spread_seconds"`
		Rounds   int      `json:"rounds"`
		SpeedUp  float64  `json:"speed_up"`
		Mean     *float64 `json:"mean_error"`
		Max      *float64 `json:"max_error"`
		Masks    int      `json:"masks"`
		Memory   int64    `json:"memory_bytes"`
		Threads  int      `json:"threads"`
		Kernels  string   `json:"kernels"`
		Fidelity string   `json:"fidelity"`
		Variant  Variant  `json:"variant"`
	}{
		r.Name, r.Status, r.Why, r.Latency.Seconds(), r.Spread.Seconds(), r.Rounds, r.SpeedUp,
		known(r.MeanError), known(r.MaxError), r.Masks, r.Memory, r.Threads, r.Kernels, r.Fidelity, r.Variant,
	})
}

// Table is what Run found. The first row is the session as it is.
type Table struct {
	CPU     string            `json:"cpu"`
	Shape   string            `json:"tree"`
	Windows []image.Rectangle `json:"-"`
	Rows    []Row             `json:"variants"`

	session     *eval.Session
	tree        ast.Node
	planOptions []eval.PlanOption
}

// Row finds a row by the variant's name.
func (t *Table) Row(name string) (Row, error) {
	for _, r := range t.Rows {
		if r.Name == name {
			return r, nil
		}
	}
	var names []string
	for _, r := range t.Rows {
		names = append(names, r.Name)
	}
	return Row{}, fmt.Errorf("tune: no variant %q, there are %s", name, strings.Join(names, ", "))
}

// String is the table in columns.
func (t *Table) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "variant\tstatus\tlatency\tspread\tspeed-up\tmean error\tmax error\tmasks\tmemory\tnote")
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Status == Failed {
			fmt.Fprintf(w, "%s\t%s\t-\t-\t-\t-\t-\t-\t-\t%s\n", r.Name, r.Status, r.Why)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t±%v\t%.3g×\t%s\t%s\t%d\t%s\t%s\n", r.Name, r.Status, short(r.Latency), short(r.Spread/2), r.SpeedUp,
			percent(r.MeanError), percent(r.MaxError), r.Masks, size(r.Memory), r.Why)
	}
	w.Flush()
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// short keeps three digits.
func short(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "?"
	}
	return fmt.Sprintf("%.3g%%", 100*v)
}

func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// BestOption narrows what Best may pick.
type BestOption func(*limits)

type limits struct {
	err     float64
	bounded bool
	threads int
	memory  int64
}

// WithMaxError bounds the largest error against the reference, as a part of
// the range of values: 0.01 is one percent. A variant that was not checked does
// not qualify then.
func WithMaxError(e float64) BestOption { return func(l *limits) { l.err, l.bounded = e, true } }

// WithThreads bounds the threads.
func WithThreads(n int) BestOption { return func(l *limits) { l.threads = n } }

// WithMaxMemory bounds the memory, in bytes.
func WithMaxMemory(bytes int64) BestOption { return func(l *limits) { l.memory = bytes } }

func (l *limits) allow(r *Row) bool {
	return r.Eligible() && (!l.bounded || r.Status == OK && r.MaxError <= l.err) &&
		(l.threads == 0 || r.Threads <= l.threads) && (l.memory == 0 || r.Memory <= l.memory)
}

// Best is the fastest variant within the bounds. What failed or is wrong is
// never it. Noise does not lead away from the session as it is: that is the
// best unless another is faster by more than its spread and five percent.
func (t *Table) Best(opts ...BestOption) (Row, error) {
	var l limits
	for _, o := range opts {
		o(&l)
	}
	var best *Row
	for i := range t.Rows {
		if r := &t.Rows[i]; l.allow(r) && (best == nil || r.Latency < best.Latency) {
			best = r
		}
	}
	if best == nil {
		return Row{}, fmt.Errorf("tune: no variant of %d is within the bounds", len(t.Rows))
	}
	if r := &t.Rows[0]; l.allow(r) && r.Latency <= best.Latency+best.Latency/20+best.Spread/2 {
		return *r, nil
	}
	return *best, nil
}

// Plan is the tree planned as a variant, in a session that is opened for it:
// the caller closes Plan.Session. A variant that failed or is wrong is refused.
func (t *Table) Plan(ctx context.Context, name string) (*eval.Plan, error) {
	r, err := t.Row(name)
	if err != nil {
		return nil, err
	}
	if !r.Eligible() {
		return nil, fmt.Errorf("tune: variant %q is %s: %s", name, r.Status, r.Why)
	}
	return r.open(ctx, t.session, t.tree, t.planOptions)
}
