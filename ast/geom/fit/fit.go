package fit

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rewarp/rewarp/ast/geom"
)

// Pair is a control point: From maps to To, both in pixels.
type Pair struct {
	From, To [2]float64
}

// MaxPairs bounds the control points of one fit.
const MaxPairs = 1 << 20

// ErrDegenerate is returned where the points do not determine a transform, such
// as points on one line.
var ErrDegenerate = errors.New("the control points do not determine the transform")

// Affine is the affine transform that minimizes the sum of squared distances
// between the images of the From points and the To points, and the root mean
// square distance in pixels that is left. It takes at least three pairs.
func Affine(pairs []Pair) (t geom.Transform, rms float64, err error) {
	if err := check(pairs, 3); err != nil {
		return t, 0, err
	}
	from, to := normalizer(pairs, 0), normalizer(pairs, 1)
	a := mat.NewDense(len(pairs), 3, nil)
	b := mat.NewDense(len(pairs), 2, nil)
	for i, p := range pairs {
		x, y := from.Apply(p.From[0], p.From[1])
		u, v := to.Apply(p.To[0], p.To[1])
		a.SetRow(i, []float64{x, y, 1})
		b.SetRow(i, []float64{u, v})
	}
	var m mat.Dense
	var qr mat.QR
	qr.Factorize(a)
	if err := qr.SolveTo(&m, false, b); err != nil {
		return t, 0, ErrDegenerate
	}
	t = geom.Affine(m.At(0, 0), m.At(1, 0), m.At(2, 0), m.At(0, 1), m.At(1, 1), m.At(2, 1))
	return restore(t, from, to, pairs)
}

// Similarity is the rotation, uniform scale and translation of least squares,
// without reflection, from at least two pairs: Umeyama, "Least-squares
// estimation of transformation parameters between two point patterns" (1991).
func Similarity(pairs []Pair) (t geom.Transform, rms float64, err error) {
	if err := check(pairs, 2); err != nil {
		return t, 0, err
	}
	from, to := normalizer(pairs, 0), normalizer(pairs, 1)
	cov := mat.NewDense(2, 2, nil)
	var spread float64
	for _, p := range pairs {
		x, y := from.Apply(p.From[0], p.From[1])
		u, v := to.Apply(p.To[0], p.To[1])
		spread += x*x + y*y
		cov.Set(0, 0, cov.At(0, 0)+u*x)
		cov.Set(0, 1, cov.At(0, 1)+u*y)
		cov.Set(1, 0, cov.At(1, 0)+v*x)
		cov.Set(1, 1, cov.At(1, 1)+v*y)
	}
	var svd mat.SVD
	if !svd.Factorize(cov, mat.SVDFull) || spread == 0 {
		return t, 0, ErrDegenerate
	}
	var u, v, r mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	s := svd.Values(nil)
	sign := 1.0
	if mat.Det(&u)*mat.Det(&v) < 0 {
		sign = -1
	}
	r.Product(&u, mat.NewDense(2, 2, []float64{1, 0, 0, sign}), v.T())
	scale := (s[0] + sign*s[1]) / spread
	if !(scale > 0) {
		return t, 0, ErrDegenerate
	}
	t = geom.Affine(scale*r.At(0, 0), scale*r.At(0, 1), 0, scale*r.At(1, 0), scale*r.At(1, 1), 0)
	return restore(t, from, to, pairs)
}

// Projective is the projective transform of least algebraic error from at
// least four pairs: the normalized direct linear transform of Hartley, "In
// Defense of the Eight-Point Algorithm" (1997).
func Projective(pairs []Pair) (t geom.Transform, rms float64, err error) {
	if err := check(pairs, 4); err != nil {
		return t, 0, err
	}
	from, to := normalizer(pairs, 0), normalizer(pairs, 1)
	a := mat.NewDense(max(9, 2*len(pairs)), 9, nil)
	for i, p := range pairs {
		x, y := from.Apply(p.From[0], p.From[1])
		u, v := to.Apply(p.To[0], p.To[1])
		a.SetRow(2*i, []float64{x, y, 1, 0, 0, 0, -u * x, -u * y, -u})
		a.SetRow(2*i+1, []float64{0, 0, 0, x, y, 1, -v * x, -v * y, -v})
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return t, 0, ErrDegenerate
	}
	// The null space has to have one dimension.
	s := svd.Values(nil)
	if s[7] <= 1e-10*s[0] {
		return t, 0, ErrDegenerate
	}
	var v mat.Dense
	svd.VTo(&v)
	for i := range t {
		t[i] = v.At(i, 8)
	}
	return restore(t, from, to, pairs)
}

// normalizer moves the centroid of one side of the pairs to the origin and
// makes the mean distance from it √2.
func normalizer(pairs []Pair, side int) geom.Transform {
	var cx, cy, d float64
	at := func(p Pair) [2]float64 {
		if side == 0 {
			return p.From
		}
		return p.To
	}
	n := float64(len(pairs))
	for _, p := range pairs {
		cx, cy = cx+at(p)[0]/n, cy+at(p)[1]/n
	}
	for _, p := range pairs {
		d += math.Hypot(at(p)[0]-cx, at(p)[1]-cy) / n
	}
	if d == 0 {
		d = 1
	}
	s := math.Sqrt2 / d
	return geom.Scale(s, s).Mul(geom.Translate(-cx, -cy))
}

// restore undoes the normalization and measures the fit.
func restore(t, from, to geom.Transform, pairs []Pair) (geom.Transform, float64, error) {
	back, _ := to.Inverse()
	t = back.Mul(t).Mul(from)
	t, ok := t.Normalize(pairs[0].From[0], pairs[0].From[1])
	if _, invertible := t.Inverse(); !ok || !invertible || !t.IsFinite() {
		return t, 0, ErrDegenerate
	}
	var sum float64
	for _, p := range pairs {
		if !(t.Denominator(p.From[0], p.From[1]) > 0) {
			return t, 0, ErrDegenerate
		}
		x, y := t.Apply(p.From[0], p.From[1])
		sum += (x-p.To[0])*(x-p.To[0]) + (y-p.To[1])*(y-p.To[1])
	}
	return t, math.Sqrt(sum / float64(len(pairs))), nil
}

func check(pairs []Pair, least int) error {
	if len(pairs) < least || len(pairs) > MaxPairs {
		return fmt.Errorf("fit: %d control points, expected %d to %d", len(pairs), least, MaxPairs)
	}
	for i, p := range pairs {
		for _, v := range [4]float64{p.From[0], p.From[1], p.To[0], p.To[1]} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("fit: control point %d is not finite: %v", i, p)
			}
		}
	}
	return nil
}

// Polar factors the linear part of an affine transform into a rotation by
// theta radians (and, if mirrored, a flip of y first) and a symmetric stretch
// with the given principal factors, largest first: linear = R·F·S. The factors
// are the singular values.
func Polar(t geom.Transform) (theta float64, mirrored bool, factors [2]float64, err error) {
	if !t.IsAffine() {
		return 0, false, factors, errors.New("fit: polar factors of a projective transform")
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(2, 2, []float64{t[0], t[1], t[3], t[4]}), mat.SVDFull) {
		return 0, false, factors, ErrDegenerate
	}
	s := svd.Values(nil)
	if s[1] == 0 {
		return 0, false, factors, ErrDegenerate
	}
	var u, v, r mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	r.Mul(&u, v.T())
	mirrored = mat.Det(&r) < 0
	return math.Atan2(r.At(1, 0), r.At(0, 0)), mirrored, [2]float64{s[0], s[1]}, nil
}
