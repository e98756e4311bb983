package geom

import (
	"fmt"
	"math"
)

const (
	// SameEntry is how far apart two matrix entries may be and still count as
	// equal when a transform is tested for being an identity or a copy.
	SameEntry = 1e-9
	// EdgeTolerance is how close, in pixels, a position must be to an edge of
	// a pixel or of a canvas to count as lying on that edge.
	EdgeTolerance = 1e-6
	// MaxDrift is the largest rounding error, in source pixels, that a
	// transform may cause over its extent before it is refused.
	MaxDrift = 1e-7
)

// Size is the extent of a canvas in pixels.
type Size struct{ W, H int }

// String formats the size as "512×256".
func (s Size) String() string { return fmt.Sprintf("%d×%d", s.W, s.H) }

// Center is the middle of the canvas.
func (s Size) Center() (x, y float64) { return float64(s.W) / 2, float64(s.H) / 2 }

// Level is the size of the canvas reduced by 2^level, rounded up.
func (s Size) Level(level int) Size {
	return Size{ceilShift(s.W, level), ceilShift(s.H, level)}
}

func ceilShift(n, level int) int {
	if level >= 62 {
		return 1
	}
	return (n-1)>>level + 1
}

// Transform is a planar projective transform, a row-major 3×3 matrix that
// maps the column (x, y, 1). It is affine when its last row is 0, 0, 1.
type Transform [9]float64

// Identity maps every point to itself.
var Identity = Transform{1, 0, 0, 0, 1, 0, 0, 0, 1}

// Affine is x' = a·x + b·y + c, y' = d·x + e·y + f.
func Affine(a, b, c, d, e, f float64) Transform { return Transform{a, b, c, d, e, f, 0, 0, 1} }

// Translate shifts by (tx, ty) pixels.
func Translate(tx, ty float64) Transform { return Affine(1, 0, tx, 0, 1, ty) }

// Scale multiplies x by sx and y by sy.
func Scale(sx, sy float64) Transform { return Affine(sx, 0, 0, 0, sy, 0) }

// Rotate turns by theta radians, from the x axis towards the y axis.
func Rotate(theta float64) Transform {
	s, c := math.Sincos(theta)
	return Affine(c, -s, 0, s, c, 0)
}

// IsAffine reports whether the last row is exactly 0, 0, 1.
func (t *Transform) IsAffine() bool { return t[6] == 0 && t[7] == 0 && t[8] == 1 }

// IsFinite reports whether no entry is NaN or infinite.
func (t *Transform) IsFinite() bool {
	var zero float64
	for i := range t {
		zero += t[i] - t[i] // NaN if the entry is not finite
	}
	return zero == 0
}

// Mul is the composition t∘u: u is applied first.
func (t Transform) Mul(u Transform) Transform { return Compose(&t, &u) }

// Compose is t∘u, as Mul, for those who have both by pointer.
func Compose(t, u *Transform) (r Transform) {
	if t.IsAffine() && u.IsAffine() {
		r[0], r[1], r[2] = t[0]*u[0]+t[1]*u[3], t[0]*u[1]+t[1]*u[4], t[0]*u[2]+t[1]*u[5]+t[2]
		r[3], r[4], r[5] = t[3]*u[0]+t[4]*u[3], t[3]*u[1]+t[4]*u[4], t[3]*u[2]+t[4]*u[5]+t[5]
		r[8] = 1
		return r
	}
	for i := range 3 {
		for j := range 3 {
			r[3*i+j] = t[3*i]*u[j] + t[3*i+1]*u[3+j] + t[3*i+2]*u[6+j]
		}
	}
	return r
}

// Shift moves what t maps to by (dx, dy): t becomes Translate(dx, dy)∘t.
func (t *Transform) Shift(dx, dy float64) {
	if t.IsAffine() {
		t[2] += dx
		t[5] += dy
		return
	}
	for i := range 3 {
		t[i] += dx * t[6+i]
		t[3+i] += dy * t[6+i]
	}
}

// ShiftInput moves what t maps from by (dx, dy): t becomes t∘Translate(dx, dy).
func (t *Transform) ShiftInput(dx, dy float64) {
	t[2] += t[0]*dx + t[1]*dy
	t[5] += t[3]*dx + t[4]*dy
	t[8] += t[6]*dx + t[7]*dy
}

// Det is the determinant of the 3×3 matrix.
func (t Transform) Det() float64 {
	return t[0]*(t[4]*t[8]-t[5]*t[7]) - t[1]*(t[3]*t[8]-t[5]*t[6]) + t[2]*(t[3]*t[7]-t[4]*t[6])
}

// Inverse returns the inverse matrix; ok is false when there is none.
func (t Transform) Inverse() (inv Transform, ok bool) {
	ok = inv.Invert(&t)
	return inv, ok
}

// Invert makes inv the inverse of t, another matrix, and reports whether there
// is one.
func (inv *Transform) Invert(t *Transform) bool {
	if t.IsAffine() {
		det := t[0]*t[4] - t[1]*t[3]
		a, b, d, e := t[4]/det, -t[1]/det, -t[3]/det, t[0]/det
		c, f := -(a*t[2] + b*t[5]), -(d*t[2] + e*t[5])
		inv[0], inv[1], inv[2] = a, b, c
		inv[3], inv[4], inv[5] = d, e, f
		inv[6], inv[7], inv[8] = 0, 0, 1
		// One sum is finite only if all six entries are.
		sum := math.Abs(a) + math.Abs(b) + math.Abs(d) + math.Abs(e) + math.Abs(c) + math.Abs(f)
		return det != 0 && sum <= math.MaxFloat64
	}
	det := t.Det()
	*inv = Transform{
		t[4]*t[8] - t[5]*t[7], t[2]*t[7] - t[1]*t[8], t[1]*t[5] - t[2]*t[4],
		t[5]*t[6] - t[3]*t[8], t[0]*t[8] - t[2]*t[6], t[2]*t[3] - t[0]*t[5],
		t[3]*t[7] - t[4]*t[6], t[1]*t[6] - t[0]*t[7], t[0]*t[4] - t[1]*t[3],
	}
	for i := range inv {
		inv[i] /= det
	}
	return det != 0 && inv.IsFinite()
}

// Denominator is the value that Apply divides by at (x, y).
func (t *Transform) Denominator(x, y float64) float64 { return t[6]*x + t[7]*y + t[8] }

// Apply maps (x, y). Under a projective transform the result is meaningful
// only where Denominator is positive.
func (t Transform) Apply(x, y float64) (u, v float64) {
	u = t[0]*x + t[1]*y + t[2]
	v = t[3]*x + t[4]*y + t[5]
	if !t.IsAffine() {
		w := t.Denominator(x, y)
		u, v = u/w, v/w
	}
	return u, v
}

// Jacobian is the linear part at (x, y), row-major 2×2. It is the same
// everywhere when t is affine.
func (t Transform) Jacobian(x, y float64) [4]float64 {
	if t.IsAffine() {
		return [4]float64{t[0], t[1], t[3], t[4]}
	}
	w := t.Denominator(x, y)
	u, v := t.Apply(x, y)
	return [4]float64{
		(t[0] - u*t[6]) / w, (t[1] - u*t[7]) / w,
		(t[3] - v*t[6]) / w, (t[4] - v*t[7]) / w,
	}
}

// JacobianNumerator is row 0 or 1 of the Jacobian at (x, y) times the square
// of the denominator there: with rows (U, V, w) of the matrix it is
// (t₀·w − U·t₆, t₁·w − U·t₇) for row 0, in which all products of x and y
// cancel, so that it is affine in (x, y).
func (t *Transform) JacobianNumerator(row int, x, y float64) (a, b float64) {
	r := t[3*row : 3*row+3]
	return (r[0]*t[7]-r[1]*t[6])*y + r[0]*t[8] - r[2]*t[6],
		(r[1]*t[6]-r[0]*t[7])*x + r[1]*t[8] - r[2]*t[7]
}

// Stretch is the factor (fx, fy), each at least 1, by which a kernel is
// stretched along the source's axes when j is the linear part of the map
// from the canvas to the source.
func Stretch(j [4]float64) (fx, fy float64) {
	if j[1] == 0 && j[2] == 0 {
		return max(1, math.Abs(j[0])), max(1, math.Abs(j[3]))
	}
	return max(1, math.Hypot(j[0], j[1])), max(1, math.Hypot(j[2], j[3]))
}

// Normalize scales a matrix whose last row is a multiple of 0, 0, 1 to an
// affine one, and otherwise fixes the sign so that the denominator is positive
// at (x, y). ok is false when the denominator there is zero.
func (t Transform) Normalize(x, y float64) (n Transform, ok bool) {
	s := 1.0
	switch w := t.Denominator(x, y); {
	case t.IsAffine():
		return t, true
	case t[6] == 0 && t[7] == 0:
		s = t[8]
	case w < 0:
		s = -1
	case w == 0:
		return t, false
	}
	if s == 0 || math.IsNaN(s) {
		return t, false
	}
	for i := range t {
		t[i] /= s
	}
	return t, true
}

// IsIdentity reports whether every entry is within SameEntry of the identity.
func (t Transform) IsIdentity() bool { return t.near(&Identity) }

// IsCopy is whether Copy succeeds, without a copy of the matrix.
func (t *Transform) IsCopy() bool {
	if !t.mayCopy() {
		return false
	}
	var exact Transform
	return t.round(&exact)
}

// mayCopy reports what the first entry of a matrix shows about most that are
// not copies.
func (t *Transform) mayCopy() bool {
	a := math.Abs(t[0])
	return a <= SameEntry || math.Abs(a-1) <= SameEntry
}

func (t *Transform) near(u *Transform) bool {
	for i := range t {
		if !(math.Abs(t[i]-u[i]) <= SameEntry) {
			return false
		}
	}
	return true
}

// Copy reports whether t maps pixel centres to pixel centres (an integer
// translation, a flip, a quarter turn, or several of these; every entry within
// SameEntry), and returns the transform with its entries rounded to integers.
func (t Transform) Copy() (exact Transform, ok bool) {
	if !t.mayCopy() || !t.round(&exact) {
		return t, false
	}
	return exact, true
}

// round makes exact the transform with its entries rounded to integers, and
// reports whether t is a copy.
func (t *Transform) round(exact *Transform) bool {
	if !t.IsAffine() {
		return false
	}
	for i, v := range t {
		exact[i] = math.Round(v)
	}
	a, b, d, e := exact[0], exact[1], exact[3], exact[4]
	upright := b == 0 && d == 0 && math.Abs(a) == 1 && math.Abs(e) == 1
	turned := a == 0 && e == 0 && math.Abs(b) == 1 && math.Abs(d) == 1
	if !upright && !turned || math.Abs(exact[2]) > 1<<40 || math.Abs(exact[5]) > 1<<40 {
		return false
	}
	return t.near(exact)
}

// IntegerTranslation reports whether t is a translation by whole pixels
// within SameEntry, and by how much.
func (t Transform) IntegerTranslation() (dx, dy int, ok bool) {
	e, ok := t.Copy()
	if !ok || e[0] != 1 || e[4] != 1 {
		return 0, 0, false
	}
	return int(e[2]), int(e[5]), true
}

// Cond is the condition number of the linear part at (x, y): its largest
// singular value over its smallest.
func (t *Transform) Cond(x, y float64) float64 {
	j := t.Jacobian(x, y)
	s := j[0]*j[0] + j[1]*j[1] + j[2]*j[2] + j[3]*j[3]
	det := math.Abs(j[0]*j[3] - j[1]*j[2])
	q := math.Sqrt(max(0, s*s-4*det*det))
	hi := math.Sqrt((s + q) / 2)
	return hi * hi / det
}

// Drift bounds the rounding error, in source pixels, of a position that is
// mapped back through t onto a source of the given size: 2⁻⁵²·cond·extent,
// cond being that at the source's centre.
func (t *Transform) Drift(source Size) float64 {
	x, y := source.Center()
	return 0x1p-52 * t.Cond(x, y) * float64(max(source.W, source.H))
}

// WellConditioned reports whether positions on a source of the given size can
// be trusted to 1e-7 pixels: Drift stays below that, and so does, for a
// projective transform, what a corner of the source moves by when it is mapped
// there and back.
func (t *Transform) WellConditioned(source Size) bool {
	if t.IsAffine() {
		// The squares of all entries over the determinant are at least the
		// condition, and spare two roots where they are clearly enough.
		s := t[0]*t[0] + t[1]*t[1] + t[3]*t[3] + t[4]*t[4]
		det := math.Abs(t[0]*t[4] - t[1]*t[3])
		return 0x1p-51*s*float64(max(source.W, source.H)) <= MaxDrift*det && det > 0 || t.Drift(source) <= MaxDrift
	}
	return t.Drift(source) <= MaxDrift && t.RoundTrip(source) <= MaxDrift
}

// RoundTrip is how far, in source pixels, a corner of a source moves at most
// when it is mapped by t and back: what rounding in its entries does. Corners
// behind a projection do not count. It is infinite where t has no inverse.
func (t *Transform) RoundTrip(source Size) float64 {
	inv, ok := t.Inverse()
	if !ok {
		return math.Inf(1)
	}
	far := 0.0
	for _, c := range source.Corners() {
		if t.Denominator(c[0], c[1]) > 0 {
			x, y := t.Apply(c[0], c[1])
			x, y = inv.Apply(x, y)
			far = max(far, math.Abs(x-c[0]), math.Abs(y-c[1])) // NaN if any is
		}
	}
	return far
}

// Rounding bounds what rounding does to a position that is mapped back through
// t, whose inverse is inv, from a canvas onto an input: an error that it comes
// with is stretched, and up to so many input pixels are added. Offsets count
// with the size they have before they cancel, unless the input lies far outside
// the canvas.
func (t *Transform) Rounding(inv *Transform, canvas, input Size) (stretch, added float64) {
	var j, k [4]float64
	if t.IsAffine() && inv.IsAffine() {
		j = [4]float64{inv[0], inv[1], inv[3], inv[4]}
		k = [4]float64{t[0], t[1], t[3], t[4]}
	} else {
		x, y := input.Center()
		j = inv.Jacobian(t.Apply(x, y))
		k = t.Jacobian(x, y)
	}
	stretch = max(math.Abs(j[0])+math.Abs(j[1]), math.Abs(j[2])+math.Abs(j[3]))
	norm := max(math.Abs(k[0])+math.Abs(k[1]), math.Abs(k[2])+math.Abs(k[3]))
	reach := float64(max(canvas.W, canvas.H))
	offset := min(max(math.Abs(t[2]), math.Abs(t[5])), norm*float64(max(input.W, input.H))+reach)
	return stretch, 0x1p-52 * (stretch*(reach+offset) + float64(max(input.W, input.H)))
}

// FitSize is the smallest canvas from the origin that holds all positive
// coordinates of a canvas of size s mapped by t: ceil of the largest x and y,
// less 1e-9, and at least one pixel. ok is false when a corner's denominator
// is not positive or a side does not fit an int32.
func (t *Transform) FitSize(s Size) (size Size, ok bool) {
	var mx, my float64
	if t.IsAffine() {
		w, h := float64(s.W), float64(s.H)
		mx = max(0, t[0]*w) + max(0, t[1]*h) + t[2]
		my = max(0, t[3]*w) + max(0, t[4]*h) + t[5]
		return wholeSize(mx, my)
	}
	for _, c := range s.Corners() {
		if !(t.Denominator(c[0], c[1]) > 0) {
			return Size{}, false
		}
		x, y := t.Apply(c[0], c[1])
		mx, my = max(mx, x), max(my, y)
	}
	return wholeSize(mx, my)
}

// wholeSize is the canvas from the origin to (mx, my), rounded up.
func wholeSize(mx, my float64) (size Size, ok bool) {
	mx, my = max(1, math.Ceil(mx-1e-9)), max(1, math.Ceil(my-1e-9))
	if !(mx <= math.MaxInt32 && my <= math.MaxInt32) {
		return Size{}, false
	}
	return Size{int(mx), int(my)}, true
}

// Corners are the four corners of the canvas, clockwise from the origin.
func (s Size) Corners() [4][2]float64 {
	w, h := float64(s.W), float64(s.H)
	return [4][2]float64{{0, 0}, {w, 0}, {w, h}, {0, h}}
}
