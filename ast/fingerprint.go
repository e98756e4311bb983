package ast

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Fingerprint is a 128-bit digest of a tree: of every operation, argument and
// leaf in it, a Load with the metadata it carries, a Raster by its pixels. It
// is the same in every process. Trees that are Equal have the same
// fingerprint; the reverse is to be expected, and whatever must be sure asks
// Equal.
type Fingerprint [16]byte

// String is the fingerprint in hexadecimal.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// FingerprintOf is the fingerprint of the tree at n. It is computed on first
// use, once for each distinct node, and remembered.
//
// A custom node counts by its op, its inputs, and what its method
//
//	FingerprintBytes() []byte
//
// returns, if it has one: bytes that hold its own arguments.
func FingerprintOf(n Node) Fingerprint {
	if f, ok := cachedFingerprint(n); ok {
		return f
	}
	d := digester{h: sha256.New()}
	// Children before parents, without recursion: chains may be very long.
	for stack := []Node{n}; len(stack) > 0; {
		top := stack[len(stack)-1]
		if _, ok := d.lookup(top); ok {
			stack = stack[:len(stack)-1]
			continue
		}
		ready := true
		for i := range top.NumInputs() {
			if in := top.Input(i); !d.has(in) {
				stack = append(stack, in)
				ready = false
			}
		}
		if ready {
			d.store(top, d.digest(top))
			stack = stack[:len(stack)-1]
		}
	}
	f, _ := d.lookup(n)
	return f
}

func cachedFingerprint(n Node) (Fingerprint, bool) {
	b := n.base()
	if b.self != b {
		return Fingerprint{}, false
	}
	if l := b.lazy.Load(); l != nil {
		if f := l.fingerprint.Load(); f != nil {
			return *f, true
		}
	}
	return Fingerprint{}, false
}

// fingerprintVersion changes whenever the bytes below do.
const fingerprintVersion = 1

// digester builds the canonical bytes of one node at a time. A node whose
// caches are void, because it was copied, is remembered for this digest only.
type digester struct {
	h      hash.Hash
	buf    []byte
	copies map[Node]Fingerprint
}

func (d *digester) has(n Node) bool {
	_, ok := d.lookup(n)
	return ok
}

func (d *digester) lookup(n Node) (Fingerprint, bool) {
	if f, ok := cachedFingerprint(n); ok {
		return f, true
	}
	f, ok := d.copies[n]
	return f, ok
}

func (d *digester) store(n Node, f Fingerprint) {
	if b := n.base(); b.self == b {
		b.cache().fingerprint.Store(&f)
		return
	}
	if d.copies == nil {
		d.copies = map[Node]Fingerprint{}
	}
	d.copies[n] = f
}

func (d *digester) digest(n Node) (f Fingerprint) {
	d.h.Reset()
	d.buf = append(d.buf[:0], fingerprintVersion, byte(n.Kind()))
	d.int(n.NumInputs())
	for i := range n.NumInputs() {
		in, _ := d.lookup(n.Input(i))
		d.buf = append(d.buf, in[:]...)
	}
	switch n := n.(type) {
	case *Load:
		d.load(n)
	case *Fill:
		d.size(n.Size())
		d.bands(n.Base.bands())
		d.bool(n.invalid)
		d.float(n.value)
	case *Raster:
		d.raster(n)
	case *Crop:
		d.int(int(n.window.x0))
		d.int(int(n.window.y0))
		d.int(int(n.window.x1))
		d.int(int(n.window.y1))
		d.int(len(n.picks))
		for _, k := range n.picks {
			d.int(k)
		}
	case *Pad:
		for _, v := range [4]int{n.left, n.top, n.right, n.bottom} {
			d.int(v)
		}
	case *Warp:
		d.warp(n)
	case *Overview:
		d.int(n.level)
	case *Dequantize:
		q := n.q
		d.buf = append(d.buf, byte(q.OrigType))
		d.floats(q.OrigMin, q.OrigMax, q.QuantMin, q.QuantMax)
		d.nodata(q.NoData, q.HasNoData)
	case *Concat:
	default:
		d.string(n.Op())
		if c, ok := n.(interface{ FingerprintBytes() []byte }); ok {
			d.string(string(c.FingerprintBytes()))
		}
	}
	d.h.Write(d.buf)
	var sum [sha256.Size]byte
	d.h.Sum(sum[:0])
	copy(f[:], sum[:])
	return f
}

func (d *digester) load(l *Load) {
	d.string(l.uri)
	d.string(l.channels)
	d.bool(l.meta != nil)
	if l.meta == nil {
		return
	}
	d.size(l.meta.Size)
	d.bands(l.meta.Bands)
	d.size(l.meta.Block)
	d.int(len(l.meta.Overviews))
	for _, s := range l.meta.Overviews {
		d.size(s)
	}
	d.bool(l.meta.HasMask)
	d.bool(l.meta.Geo != nil)
	if g := l.meta.Geo; g != nil {
		d.floats(g.Transform[:]...)
		d.string(g.SRS)
	}
}

func (d *digester) warp(w *Warp) {
	d.floats(w.m[:]...)
	d.bool(w.Fitted())
	if !w.Fitted() {
		d.size(w.asked())
	}
	d.buf = append(d.buf, byte(w.sampling.interp), byte(w.sampling.border))
	d.bool(w.sampling.antialias)
	d.float(w.sampling.value)
	d.bool(w.domain != nil)
	d.int(w.domain.Len())
	for i := range w.domain.Len() {
		h := w.domain.At(i)
		d.floats(h.Row[:]...)
		d.floats(h.Den[:]...)
		d.bool(h.Closed)
	}
}

// asked is the size that the warp was given; it is zero when it was left out.
func (w *Warp) asked() geom.Size {
	switch {
	case w.Fitted():
		return geom.Size{}
	case !w.Known():
		return w.want.size()
	}
	return w.Size()
}

func (d *digester) raster(r *Raster) {
	d.size(r.Size())
	d.bands(r.Base.bands())
	d.flush()
	p := r.pix
	switch p.Type {
	case raster.Uint8:
		d.h.Write(raster.Samples[uint8](p))
	case raster.Int8:
		digestInts(d, raster.Samples[int8](p))
	case raster.Uint16:
		digestInts(d, raster.Samples[uint16](p))
	case raster.Int16:
		digestInts(d, raster.Samples[int16](p))
	case raster.Uint32:
		digestInts(d, raster.Samples[uint32](p))
	case raster.Int32:
		digestInts(d, raster.Samples[int32](p))
	case raster.Float32:
		digestFloats(d, raster.Samples[float32](p))
	case raster.Float64:
		digestFloats(d, raster.Samples[float64](p))
	}
	d.bool(p.Mask != nil)
	d.flush()
	for _, m := range p.Mask {
		d.bool(m != 0)
		d.flushFull()
	}
}

func digestInts[T int8 | uint16 | int16 | uint32 | int32](d *digester, v []T) {
	for _, x := range v {
		d.int(int(x))
		d.flushFull()
	}
}

func digestFloats[T float32 | float64](d *digester, v []T) {
	for _, x := range v {
		d.float(float64(x))
		d.flushFull()
	}
}

func (d *digester) flush() {
	d.h.Write(d.buf)
	d.buf = d.buf[:0]
}

func (d *digester) flushFull() {
	if len(d.buf) >= 1<<12 {
		d.flush()
	}
}

func (d *digester) int(v int) { d.buf = binary.LittleEndian.AppendUint64(d.buf, uint64(v)) }

func (d *digester) bool(v bool) {
	if v {
		d.buf = append(d.buf, 1)
	} else {
		d.buf = append(d.buf, 0)
	}
}

// float writes −0 as 0 and every NaN as one.
func (d *digester) float(v float64) {
	bits := uint64(0x7ff8000000000000)
	if v == v {
		bits = math.Float64bits(v + 0)
	}
	d.buf = binary.LittleEndian.AppendUint64(d.buf, bits)
}

func (d *digester) floats(v ...float64) {
	for _, x := range v {
		d.float(x)
	}
}

func (d *digester) string(s string) {
	d.int(len(s))
	d.buf = append(d.buf, s...)
}

func (d *digester) size(s geom.Size) {
	d.int(s.W)
	d.int(s.H)
}

func (d *digester) nodata(v float64, has bool) {
	d.bool(has)
	if has {
		d.float(v)
	}
}

func (d *digester) bands(bands []Band) {
	d.int(len(bands))
	for _, b := range bands {
		d.string(b.Name)
		d.buf = append(d.buf, byte(b.Type))
		d.nodata(b.NoData, b.HasNoData)
	}
}
