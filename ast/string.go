package ast

// String is the node's Label.
func (l *Load) String() string { return Label(l) }

// String is the node's Label.
func (f *Fill) String() string { return Label(f) }

// String is the node's Label.
func (r *Raster) String() string { return Label(r) }

// String is the node's Label.
func (c *Crop) String() string { return Label(c) }

// String is the node's Label.
func (p *Pad) String() string { return Label(p) }

// String is the node's Label.
func (w *Warp) String() string { return Label(w) }

// String is the node's Label.
func (o *Overview) String() string { return Label(o) }

// String is the node's Label.
func (d *Dequantize) String() string { return Label(d) }

// String is the node's Label.
func (c *Concat) String() string { return Label(c) }
