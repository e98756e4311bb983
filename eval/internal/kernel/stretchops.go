package kernel

// stretchGo sums taps along a row of float32, sample by sample of the output.
// Sample s has its first tap at base[s/group]+index[s]; the others follow in
// steps of bands. Tap k weighs w[k·stride+s].
func stretchGo(dst, row []float32, group int, base, index []int32, w []float32, taps, bands, stride int) {
	for s := range dst {
		at := int(base[s/group] + index[s])
		sum := float32(w[s] * row[at])
		for k := 1; k < taps; k++ {
			at += bands
			sum += float32(w[k*stride+s] * row[at])
		}
		dst[s] = sum
	}
}

// blendGo sums weighted rows, sample by sample; row r starts at rows[at[r]].
func blendGo(dst, rows []float32, at []int, w []float32) {
	for s := range dst {
		sum := float32(w[0] * rows[at[0]+s])
		for r := 1; r < len(at); r++ {
			sum += float32(w[r] * rows[at[r]+s])
		}
		dst[s] = sum
	}
}
