package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// Sameness is implemented by an Opener that can tell whether another reads
// the same rasters in the same way, so that sessions over either may be joined.
type Sameness interface {
	Same(Opener) bool
}

// Join opens a session that keeps to what all the given ones ask. Where they
// differ the stricter wins: fewer threads, less memory and cache, fewer open
// sources, smaller tiles, the smaller instruction set, the lower fidelity, the
// strictest of each process-wide setting, every policy on uris. One optimizer
// rewrites, the first session's that has one. Each such difference is in the
// Notes; where a session is strict it is an error. Sessions that read rasters
// through different openers cannot be joined.
//
// The joined session shares nothing with the others: it has workers, cache and
// sources of its own, outlives them, and is closed by itself.
func Join(sessions ...*Session) (*Session, error) {
	if len(sessions) == 0 {
		return nil, errors.New("eval: no sessions to join")
	}
	var parts []settings
	for i, s := range sessions {
		if err := s.begin(); err != nil {
			return nil, fmt.Errorf("eval: joining session %d: %w", i+1, err)
		}
		defer s.end()
		parts = append(parts, s.settings)
	}
	set, err := joined(parts)
	if err != nil {
		return nil, err
	}
	return open(context.Background(), set, nil)
}

// joint collects what differs.
type joint struct {
	parts []settings
	notes []Note
}

// joined combines settings.
func joined(parts []settings) (settings, error) {
	j := &joint{parts: parts}
	set := parts[0]
	set.conflicts = nil
	set.threads = least(j, "threads", decimal, func(s *settings) int { return s.threads })
	set.memory = least(j, "memory limit", bytesText, func(s *settings) int64 { return s.memory })
	set.cache = least(j, "block cache", bytesText, func(s *settings) int64 { return s.cacheBytes() })
	set.open = least(j, "open sources", decimal, func(s *settings) int { return s.open })
	set.fidelity = least(j, "fidelity", nil, func(s *settings) ast.Fidelity { return s.fidelity })
	set.kernels = least(j, "kernels", nil, func(s *settings) Kernels { return s.kernels })
	for i := range parts {
		set.strict = set.strict || parts[i].strict
	}
	j.tile(&set)
	j.settings(&set)
	j.optimizer(&set)
	if err := j.opener(&set); err != nil {
		return set, err
	}
	set.conflicts = j.notes
	return set, nil
}

// differ notes a difference: text says what each session has, and which won.
func (j *joint) differ(about, text string) { j.notes = append(j.notes, Note{about, text}) }

func decimal(n int) string { return fmt.Sprint(n) }

// least is the smallest value of a setting.
func least[T cmp.Ordered](j *joint, about string, format func(T) string, get func(*settings) T) T {
	if format == nil {
		format = func(v T) string { return fmt.Sprint(v) }
	}
	at, low, high := 0, get(&j.parts[0]), get(&j.parts[0])
	for i := range j.parts {
		v := get(&j.parts[i])
		if v < low {
			at, low = i, v
		}
		high = max(high, v)
	}
	if low != high {
		j.differ(about, fmt.Sprintf("%s, of session %d; another has %s", format(low), at+1, format(high)))
	}
	return low
}

func (j *joint) tile(set *settings) {
	var first *settings
	for i := range j.parts {
		p := &j.parts[i]
		switch {
		case !p.tiled:
		case first == nil:
			first = p
			set.tile, set.tiled = p.tile, true
		default:
			set.tile = geom.Size{W: min(set.tile.W, p.tile.W), H: min(set.tile.H, p.tile.H)}
		}
	}
	for i := range j.parts {
		if p := &j.parts[i]; p.tiled && p.tile != set.tile {
			j.differ("tiles", fmt.Sprintf("%v; session %d has %v", set.tile, i+1, p.tile))
			return
		}
	}
}

// settings takes the strictest claim of each process-wide setting.
func (j *joint) settings(set *settings) {
	set.claims = slices.Clone(j.parts[0].claims)
	for i := range j.parts[1:] {
		for _, c := range j.parts[i+1].claims {
			k := slices.IndexFunc(set.claims, func(o claim) bool { return o.setting.Name() == c.setting.Name() })
			if k < 0 {
				set.claims = append(set.claims, c)
				continue
			}
			if o := set.claims[k]; o.value != c.value {
				low, high := min(o.value, c.value), max(o.value, c.value)
				j.differ(c.setting.Name(), fmt.Sprintf("%s; another session asks for %s", c.setting.Format(low), c.setting.Format(high)))
				set.claims[k].value = low
			}
		}
	}
}

func (j *joint) optimizer(set *settings) {
	set.optimizer = nil
	from := 0
	for i := range j.parts {
		switch o := j.parts[i].optimizer; {
		case o == nil:
		case set.optimizer == nil:
			set.optimizer, from = o, i
		case !sameFunc(o, set.optimizer):
			j.differ("optimizer", fmt.Sprintf("that of session %d; session %d has another", from+1, i+1))
			return
		}
	}
}

// sameFunc compares closures: one function over one set of variables.
func sameFunc(a, b Optimizer) bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a)) == *(*unsafe.Pointer)(unsafe.Pointer(&b))
}

// opener finds the opener under the policies, and puts every policy over it.
func (j *joint) opener(set *settings) error {
	set.opener = nil
	from := 0
	var policies []*restricted
	var counts []int // of each session's policies
	for i := range j.parts {
		o := j.parts[i].opener
		var own []*restricted
		for {
			r, ok := o.(*restricted)
			if !ok {
				break
			}
			own = append(own, r)
			o = r.Opener
		}
		counts = append(counts, len(own))
		slices.Reverse(own) // the innermost first
		for _, r := range own {
			if !slices.Contains(policies, r) {
				policies = append(policies, r)
			}
		}
		switch {
		case o == nil:
		case set.opener == nil:
			set.opener, from = o, i
		case !sameOpener(set.opener, o):
			return fmt.Errorf("eval: cannot join: session %d reads rasters through %T and session %d through %T, which do not say that they read the same; open both with one opener",
				from+1, set.opener, i+1, o)
		}
	}
	for _, r := range policies {
		over := *r
		over.Opener = set.opener
		over.lister, _ = set.opener.(FileLister)
		set.opener = &over
	}
	if n := len(policies); n > 0 && slices.ContainsFunc(counts, func(k int) bool { return k < n }) {
		j.differ("policy", fmt.Sprintf("every session's applies, %d in all: a raster is opened only where each allows it", n))
	}
	return nil
}

func sameOpener(a, b Opener) bool {
	if reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b {
		return true
	}
	s, ok := a.(Sameness)
	return ok && s.Same(b)
}
