package eval

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Setting is a number that the whole process shares, of which less is
// stricter: threads of a library, bytes of its cache. Its methods are called by
// one goroutine at a time.
type Setting interface {
	// Name tells settings apart: two of one name are the same setting.
	Name() string
	// Capture notes what is in force now, and returns what puts it back.
	Capture() (restore func() error, err error)
	// Apply puts a value in force.
	Apply(value int64) error
	// Format writes a value for people.
	Format(value int64) string
}

// claim is what a session asks of a setting.
type claim struct {
	setting Setting
	value   int64
}

// process is the only ledger: nothing else in this module changes a setting of
// the process.
var process ledger

// ledger knows which open session asks for what.
type ledger struct {
	mu       sync.Mutex
	accounts []*account
}

// account is a setting that open sessions claim.
type account struct {
	setting Setting
	restore func() error
	claims  []struct {
		by    *Session
		value int64
	}
	inForce int64
}

// enter books the claims of a session, all or none.
func (l *ledger) enter(s *Session) error {
	if len(s.claims) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range s.claims {
		if err := l.add(s, c); err != nil {
			return errors.Join(fmt.Errorf("eval: setting %s to %s: %w", c.setting.Name(), c.setting.Format(c.value), err), l.remove(s))
		}
	}
	return nil
}

func (l *ledger) add(s *Session, c claim) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	a := l.find(c.setting.Name())
	if a == nil {
		restore, err := c.setting.Capture()
		if err != nil {
			return err
		}
		a = &account{setting: c.setting, restore: restore}
		l.accounts = append(l.accounts, a)
	}
	first := len(a.claims) == 0
	a.claims = append(a.claims, struct {
		by    *Session
		value int64
	}{s, c.value})
	return a.settle(first)
}

// settle puts the strictest claim in force.
func (a *account) settle(changed bool) error {
	least := a.claims[0].value
	for _, c := range a.claims[1:] {
		least = min(least, c.value)
	}
	if !changed && least == a.inForce {
		return nil
	}
	a.inForce = least
	return a.setting.Apply(least)
}

// leave gives the claims of a session up.
func (l *ledger) leave(s *Session) error {
	if len(s.claims) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.remove(s)
}

// remove takes a session's claims out. What no session claims any more is as
// it was before the first did.
func (l *ledger) remove(s *Session) error {
	var errs []error
	var left []*account
	for _, a := range l.accounts {
		n := len(a.claims)
		for i := n - 1; i >= 0; i-- {
			if a.claims[i].by == s {
				a.claims = slices.Delete(a.claims, i, i+1)
			}
		}
		var err error
		switch {
		case len(a.claims) == 0:
			err = guarded(a.restore)
		case len(a.claims) < n:
			err = guarded(func() error { return a.settle(false) })
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("eval: %s: %w", a.setting.Name(), err))
		}
		if len(a.claims) > 0 {
			left = append(left, a)
		}
	}
	l.accounts = left
	return errors.Join(errs...)
}

// guarded calls f, so that one setting's panic does not keep the others.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	return f()
}

func (l *ledger) find(name string) *account {
	for _, a := range l.accounts {
		if a.setting.Name() == name {
			return a
		}
	}
	return nil
}

// notes tells where others keep a setting stricter than a session asked.
func (l *ledger) notes(s *Session) []Note {
	if len(s.claims) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var notes []Note
	for _, c := range s.claims {
		if a := l.find(c.setting.Name()); a != nil && a.inForce < c.value {
			notes = append(notes, Note{c.setting.Name(), fmt.Sprintf("%s asked for, %s in force: another open session is stricter",
				c.setting.Format(c.value), c.setting.Format(a.inForce))})
		}
	}
	return notes
}
