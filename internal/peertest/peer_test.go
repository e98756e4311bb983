//go:build peers

package peertest

import "testing"

// TestPeers runs every comparison, holds it to its bounds, and writes the
// table.
func TestPeers(t *testing.T) {
	from := pictures(t)
	all := comparisons(from)
	results, versions := python(t, all, from, t.TempDir())
	rows := make([]row, len(all))
	for i, c := range all {
		p := from[c.source]
		theirs := results[i]
		if theirs == nil {
			theirs = c.gdal(t, p, t.TempDir())
		}
		inner, whole := c.compare(p, c.ours(t, p), theirs)
		rows[i] = row{c, inner, whole}
		if !inner.within(c.inner) || !whole.within(c.all) {
			t.Errorf("%s %s of %s (%s): inside %+v, at most %+v; everywhere %+v, at most %+v", c.peer, c.title(), c.source, c.what, inner, c.inner, whole, c.all)
		}
		if inner.pixels == 0 && !p.gaps {
			t.Errorf("%s %s: no pixel is away from the edges", c.peer, c.title())
		}
	}
	report(t, rows, versions)
	illustrate(t, from)
}
