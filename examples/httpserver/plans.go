package main

import (
	"container/list"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// planCache keeps the plans that were used last, by the fingerprint of their
// prepared trees. A fingerprint holds the metadata that a load carries, so that
// a file that changed its shape gives another tree. Equal fingerprints are
// confirmed, as they are hashes.
type planCache struct {
	mu   sync.Mutex
	size int
	used *list.List // of *planned, the last used in front
	all  map[ast.Fingerprint]*list.Element
}

type planned struct {
	key  ast.Fingerprint
	tree ast.Node
	plan *eval.Plan
}

func newPlanCache(size int) *planCache {
	return &planCache{size: size, used: list.New(), all: map[ast.Fingerprint]*list.Element{}}
}

// get finds the plan of a prepared tree, or compiles it. Two requests for one
// new tree may both compile it, which costs less than that one waits.
func (c *planCache) get(tree ast.Node, compile func() (*eval.Plan, error)) (plan *eval.Plan, hit bool, err error) {
	key := ast.FingerprintOf(tree)
	if plan := c.find(key, tree); plan != nil {
		return plan, true, nil
	}
	if plan, err = compile(); err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.all[key]; e != nil {
		c.used.Remove(e)
	}
	c.all[key] = c.used.PushFront(&planned{key, tree, plan})
	if c.used.Len() > c.size {
		last := c.used.Back()
		c.used.Remove(last)
		delete(c.all, last.Value.(*planned).key)
	}
	return plan, false, nil
}

func (c *planCache) find(key ast.Fingerprint, tree ast.Node) *eval.Plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.all[key]
	if e == nil {
		return nil
	}
	p := e.Value.(*planned)
	if !ast.Equal(p.tree, tree) {
		return nil
	}
	c.used.MoveToFront(e)
	return p.plan
}
