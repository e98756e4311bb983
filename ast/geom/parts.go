package geom

import "math"

// Parts are the components of an affine transform:
//
//	translate(Offset) · rotate(Theta) · [1 Shear; 0 1] · diag(Scale)
//
// Offset is in pixels of the target, Theta in radians.
type Parts struct {
	Offset [2]float64
	Scale  [2]float64
	Shear  float64
	Theta  float64
}

// Unit are the parts of the identity.
var Unit = Parts{Scale: [2]float64{1, 1}}

// Transform multiplies the parts out.
func (p Parts) Transform() Transform {
	s, c := 0.0, 1.0
	if p.Theta != 0 {
		s, c = math.Sincos(p.Theta)
	}
	k := p.Shear
	return Affine(
		c*p.Scale[0], (c*k-s)*p.Scale[1], p.Offset[0],
		s*p.Scale[0], (s*k+c)*p.Scale[1], p.Offset[1])
}

// Decompose returns the parts of an affine transform. Scale[0] is positive; a
// reflection shows as a negative Scale[1]. ok is false for a projective or a
// singular transform.
//
// The linear part is QR-factored: its first column gives the rotation and the
// x scale, the rest the shear and the y scale.
func (t Transform) Decompose() (p Parts, ok bool) {
	sx := math.Hypot(t[0], t[3])
	det := t[0]*t[4] - t[1]*t[3]
	if !t.IsAffine() || sx == 0 || det == 0 || !t.IsFinite() {
		return Unit, false
	}
	sy := det / sx
	return Parts{
		Offset: [2]float64{t[2], t[5]},
		Scale:  [2]float64{sx, sy},
		Shear:  (t[0]*t[1] + t[3]*t[4]) / (sx * sy),
		Theta:  math.Atan2(t[3], t[0]),
	}, true
}
