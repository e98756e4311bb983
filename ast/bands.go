package ast

import (
	"slices"
	"sync/atomic"

	"github.com/rewarp/rewarp/ast/raster"
)

// bandList is the bands of the nodes that share them. It remembers the first
// lists that a choice of bands and a dequantize made of it, since trees over one
// leaf mostly make the same again. A nil list has no bands.
type bandList struct {
	bands       []Band
	picked      atomic.Pointer[pickedBands]
	dequantized atomic.Pointer[bandList]
}

// pickedBands is a list with the choice that made it.
type pickedBands struct {
	bandList
	picks []int
}

// listOf is a list of bands, which are not copied.
func listOf(bands []Band) *bandList {
	if len(bands) == 0 {
		return nil
	}
	return &bandList{bands: bands}
}

func (l *bandList) all() []Band {
	if l == nil {
		return nil
	}
	return l.bands
}

// pick is the list of chosen bands. The choice is copied where it is not one
// that l remembers.
func (l *bandList) pick(picks []int) *pickedBands {
	if p := l.picked.Load(); p != nil && slices.Equal(p.picks, picks) {
		return p
	}
	p := &pickedBands{picks: slices.Clone(picks)}
	p.bands = make([]Band, len(picks))
	for i, k := range picks {
		p.bands[i] = l.bands[k]
	}
	l.picked.CompareAndSwap(nil, p)
	return p
}

// dequantize is the list after a dequantize to a type.
func (l *bandList) dequantize(to raster.DataType) *bandList {
	if l == nil {
		return nil
	}
	if d := l.dequantized.Load(); d != nil && d.bands[0].Type == to {
		return d
	}
	d := &bandList{bands: make([]Band, len(l.bands))}
	for i, b := range l.bands {
		d.bands[i] = Band{Name: b.Name, Type: to, dequantized: true}
	}
	l.dequantized.CompareAndSwap(nil, d)
	return d
}

// same reports whether two lists have equal bands.
func (l *bandList) same(m *bandList) bool {
	if l == m {
		return true
	}
	a, b := l.all(), m.all()
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}
