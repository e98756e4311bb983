package ast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
)

func TestParseChannels(t *testing.T) {
	for _, c := range []struct {
		spec string
		want []string
		err  string // part of the error
	}{
		{spec: "r", want: []string{"r"}},
		{spec: "r|g|b", want: []string{"r", "g", "b"}},
		{spec: "near infrared|é", want: []string{"near infrared", "é"}},
		{spec: "B.0:3", want: []string{"B.0", "B.1", "B.2"}},
		{spec: "B.2:4|x", want: []string{"B.2", "B.3", "x"}},
		{spec: "B:2", want: []string{"B.0", "B.1"}},
		{spec: "B.0:7:3", want: []string{"B.0", "B.3", "B.6"}},
		{spec: "a.b.1:3", want: []string{"a.b.1", "a.b.2"}},
		{spec: "a.b:2", want: []string{"a.b.0", "a.b.1"}},
		{spec: "r|r", want: []string{"r", "r"}},
		{spec: "", err: "is empty"},
		{spec: "r||b", err: `channel spec "r||b", name 2: is empty`},
		{spec: "r|", err: "name 2: is empty"},
		{spec: " r", err: `" r" has white space around it`},
		{spec: "r\n|g", err: "white space"},
		{spec: "r\x01g", err: "control character"},
		{spec: "r\xff", err: "not UTF-8"},
		{spec: ":3", err: "no name"},
		{spec: "B.3:3", err: `range "B.3:3" is empty`},
		{spec: "B.3:1", err: "is empty"},
		{spec: "B.0:x", err: `bound "x"`},
		{spec: "B.0:", err: `bound ""`},
		{spec: "B.0:-1", err: `bound "-1"`},
		{spec: "B.0:4:0", err: "step 0"},
		{spec: "B.0:4:1:1", err: `bound "1:1"`},
		{spec: "B.0:65537", err: "exceeds 65536 bands"},
		{spec: "B.0:99999999999999999999", err: "bound"},
		{spec: "x|B.0:65536", err: "exceeds 65536 bands"},
		{spec: strings.Repeat("x|", 65536) + "x", err: "exceeds 65536 bands"},
	} {
		got, err := ast.ParseChannels(c.spec)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || len(err.Error()) > 300 {
				t.Errorf("ParseChannels(%.50q): error %.300v, want %q", c.spec, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseChannels(%q) = %q, %v, want %q", c.spec, got, err, c.want)
		}
	}
}

func TestFormatChannels(t *testing.T) {
	for spec, want := range map[string]string{
		"r|g|b":           "r|g|b",
		"B.0:13":          "B.0:13",
		"B.0|B.1":         "B.0|B.1",
		"B.0|B.1|B.2|r":   "B.0:3|r",
		"B.00|B.01|B.02":  "B.00|B.01|B.02",
		"B.2|B.1|B.0":     "B.2|B.1|B.0",
		"a.0:3|b.0:3|b.9": "a.0:3|b.0:3|b.9",
	} {
		names, err := ast.ParseChannels(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := ast.FormatChannels(names); got != want {
			t.Errorf("FormatChannels(%q) = %q, want %q", names, got, want)
		}
	}
}

func TestChannelsComeBack(t *testing.T) {
	name := rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,3}`),
		rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%s.%d", rapid.SampledFrom([]string{"B", "a.b", "x.1"}).Draw(t, "prefix"), rapid.IntRange(0, 5).Draw(t, "number"))
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(name, 1, 20).Draw(t, "names")
		got, err := ast.ParseChannels(ast.FormatChannels(names))
		if err != nil || !slices.Equal(got, names) {
			t.Fatalf("%q came back as %q (%v)", names, got, err)
		}
	})
}

func FuzzParseChannels(f *testing.F) {
	for _, s := range []string{"r|g|b", "B.0:13", "B:2", "B.0:7:3", "", "r||b", "é|\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		names, err := ast.ParseChannels(spec)
		if err != nil {
			return
		}
		again, err := ast.ParseChannels(ast.FormatChannels(names))
		if err != nil || !slices.Equal(again, names) {
			t.Fatalf("%q became %q (%v)", names, again, err)
		}
	})
}

func TestSelect(t *testing.T) {
	const rgb = `(load rgb.tif 8x8 channels=r|g|b uint8 nodata=0)`
	const two = `(concat (load rgb.tif 8x8 channels=r|g|b uint8 nodata=0) (load nir.tif 8x8 channels=nir|g uint8))`
	for _, c := range []struct {
		in, spec string
		missing  ast.Missing
		want     string // an expression, or part of an error
	}{
		{in: rgb, spec: "b|r", want: "(crop [0 0 8 8] bands=[2 0]\n  " + rgbLoad + ")"},
		{in: rgb, spec: "r|r", want: "(crop [0 0 8 8] bands=[0 0]\n  " + rgbLoad + ")"},
		{in: rgb, spec: "r|g|b", want: rgbLoad},
		{in: two, spec: "nir|b", want: "(crop [0 0 8 8] bands=[3 2]\n  (concat\n    " + rgbLoad + "\n    (load nir.tif 8x8 uint8 channels=nir|g)))"},
		// Of two bands with one name it is the first.
		{in: two, spec: "g", want: "(crop [0 0 8 8] bands=[1]\n  (concat\n    " + rgbLoad + "\n    (load nir.tif 8x8 uint8 channels=nir|g)))"},
		{in: rgb, spec: "r|nri", want: `select channels "nri" is not a band of the input (load), which has "r|g|b"`},
		{in: two, spec: "nri", want: `did you mean "nir"?`},
		{in: rgb, spec: "r||g", want: "name 2: is empty"},
		{in: "(load a.tif channels=r|g)", spec: "r", want: "metadata of a leaf is unknown"},
		// A missing band takes its type and nodata value from the first.
		{
			in: rgb, spec: "r|q|b|q", missing: ast.MissingIsInvalid,
			want: "(crop [0 0 8 8] bands=[0 3 2 3]\n  (concat\n    " + rgbLoad + "\n    (fill 8x8 bands=[q] uint8 nodata=0 invalid)))",
		},
		{
			in: rgb, spec: "r|g|b|q", missing: ast.MissingIsInvalid,
			want: "(concat\n  " + rgbLoad + "\n  (fill 8x8 bands=[q] uint8 nodata=0 invalid))",
		},
		{in: rgb, spec: "p|q", missing: ast.MissingIsInvalid, want: "(fill 8x8 bands=[p q] uint8 nodata=0 invalid)"},
		{in: rgb, spec: "p|p", missing: ast.MissingIsInvalid, want: "(crop [0 0 8 8] bands=[0 0]\n  (fill 8x8 bands=[p] uint8 nodata=0 invalid))"},
	} {
		n, err := ast.Select(parse(t, c.in), c.spec, c.missing)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("Select(%q): error %v, want %q", c.spec, err, c.want)
			}
			continue
		}
		if diff := cmp.Diff(c.want, ast.FormatExpr(n)); diff != "" {
			t.Errorf("Select(%q) (-want +got):\n%s", c.spec, diff)
		}
		names, _ := ast.ParseChannels(c.spec)
		for i, name := range names {
			if n.Band(i).Name != name {
				t.Errorf("Select(%q): band %d is %q", c.spec, i, n.Band(i).Name)
			}
		}
	}
	if _, err := ast.Select(nil, "r", 0); err == nil {
		t.Error("Select of nil gave no error")
	}
}

const rgbLoad = `(load rgb.tif 8x8 uint8 nodata=0 channels=r|g|b)`
