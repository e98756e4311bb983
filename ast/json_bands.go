package ast

import (
	"fmt"
	"math"

	"github.com/rewarp/rewarp/ast/raster"
)

// bandList reads "bands", "dtype" and "nodata" of a leaf.
func (r *reader) bandList(id int32, op string, count int) []Band {
	v := r.child(id, "bands")
	if v != 0 && r.values[v].kind != arrayValue {
		count = r.int(v, 1, MaxBands)
		v = 0
	} else if v != 0 {
		count = int(r.values[v].count)
		if count < 1 || count > MaxBands {
			r.mismatch(v, fmt.Sprintf("1 to %d bands", MaxBands))
		}
	}
	if r.err != nil {
		return nil
	}
	bands := NumberedBands(count, raster.Unknown)
	if d := r.child(id, "dtype"); d != 0 {
		t := r.dataType(d)
		for i := range bands {
			bands[i].Type = t
		}
	}
	if d := r.child(id, "nodata"); d != 0 {
		r.bandNoData(d, bands)
	}
	if v != 0 {
		i := 0
		for k := r.values[v].child; k != 0 && r.err == nil; k = r.values[k].sibling {
			r.band(k, &bands[i])
			i++
		}
	}
	for i := range bands {
		if r.err == nil && bands[i].Type == raster.Unknown {
			r.fail(id, "no \"dtype\" in "+op, fmt.Sprintf("the type of band %d", i))
		}
	}
	return bands
}

func (r *reader) bandNoData(id int32, bands []Band) {
	if r.values[id].kind != arrayValue {
		for i := range bands {
			r.noData(id, &bands[i])
		}
		return
	}
	if int(r.values[id].count) != len(bands) {
		r.mismatch(id, fmt.Sprintf("one value for each of %d bands", len(bands)))
		return
	}
	i := 0
	for k := r.values[id].child; k != 0 && r.err == nil; k = r.values[k].sibling {
		r.noData(k, &bands[i])
		i++
	}
}

// noData reads a number, "nan", "inf" or "-inf", or null.
func (r *reader) noData(id int32, b *Band) {
	b.NoData, b.HasNoData = 0, false
	if r.values[id].kind == nullValue {
		return
	}
	b.HasNoData = true
	if r.values[id].kind == stringValue {
		switch r.text(id) {
		case "nan":
			b.NoData = math.NaN()
			return
		case "inf":
			b.NoData = math.Inf(1)
			return
		case "-inf":
			b.NoData = math.Inf(-1)
			return
		}
	}
	b.NoData = r.float(id, "a number, \"nan\", \"inf\", \"-inf\" or null")
}

// band reads a name or an object {"name", "dtype", "nodata"}.
func (r *reader) band(id int32, b *Band) {
	if r.values[id].kind == stringValue {
		b.Name = r.text(id)
		return
	}
	if !r.object(id, "a band name or an object with \"name\", \"dtype\" and \"nodata\"") {
		return
	}
	r.fields(id, "a band", []string{"name", "dtype", "nodata"})
	if v := r.child(id, "name"); v != 0 {
		b.Name = r.string(v)
	}
	if v := r.child(id, "dtype"); v != 0 {
		b.Type = r.dataType(v)
	}
	if v := r.child(id, "nodata"); v != 0 {
		r.noData(v, b)
	}
}
