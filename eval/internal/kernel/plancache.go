package kernel

import "github.com/rewarp/rewarp/ast"

// planKey is all that an axis plan depends on.
type planKey struct {
	interp  ast.Interpolation
	stretch float64
	ax      axis
	t       track
	x0, x1  int
	inner   bool
}

const (
	smallPlans = 16
	largePlans = 2
	// largePlan is the number of weights from which on a plan is large.
	largePlan = 1 << 16
)

// planCache keeps axis plans between calls: the tiles of one row share their
// rows, those of one column their columns, and so do runs of one window.
type planCache struct {
	plans [smallPlans + largePlans]axisPlan
	next  int
	last  *axisPlan // given out by the call before
}

// axis plans the outputs [x0, x1) of an axis, which t maps. With inner set,
// those with a tap beyond the canvas are left out. The plan holds until the
// call after the next.
func (c *planCache) axis(p *profile, ax *axis, t track, x0, x1 int, inner bool) *axisPlan {
	key := planKey{p.interp, p.stretch, *ax, t, x0, x1, inner}
	for i := range c.plans {
		if plan := &c.plans[i]; plan.key == key {
			c.last = plan
			return plan
		}
	}
	plan := c.victim((x1-x0)*p.n >= largePlan)
	plan.make(p, &key)
	c.last = plan
	return plan
}

// victim is a plan to replace: not the last one, which is in use.
func (c *planCache) victim(large bool) *axisPlan {
	if large {
		if plan := &c.plans[smallPlans]; plan != c.last {
			return plan
		}
		return &c.plans[smallPlans+1]
	}
	c.next = (c.next + 1) % smallPlans
	if &c.plans[c.next] == c.last {
		c.next = (c.next + 1) % smallPlans
	}
	return &c.plans[c.next]
}
