package ast_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
)

// parse reads an expression that is right.
func parse(t testing.TB, text string) ast.Node {
	t.Helper()
	n, err := ast.ParseExpr(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return n
}

// chain is n pads over a load.
func chain(t testing.TB, n int) ast.Node {
	t.Helper()
	top := parse(t, "(load a.tif 4x4 uint8)")
	for i := range n {
		p, err := ast.NewPad(top, i%2, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		top = p
	}
	return top
}

// doubling is a tree of 2^levels paths and few nodes.
func doubling(t testing.TB, levels int) ast.Node {
	t.Helper()
	n := parse(t, "(load a.tif 64x64 uint8)")
	for i := range levels {
		a, err := ast.NewPad(n, 1, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if i%8 != 7 { // keep the bands few
			n = a
			continue
		}
		c, err := ast.NewConcat(a, a)
		if err != nil {
			t.Fatal(err)
		}
		n = c
	}
	return n
}

func TestLongChains(t *testing.T) {
	const depth = 100_000
	a, b := chain(t, depth), chain(t, depth)
	checkRoundTrip(t, a)
	if !ast.Equal(a, b) {
		t.Error("equal chains differ")
	}
	if c := chain(t, depth-1); ast.Equal(a, c) || ast.FingerprintOf(a) == ast.FingerprintOf(c) {
		t.Error("chains of different length are equal")
	}
	if text := ast.FormatText(a); strings.Count(text, "\n") != 2*depth+1 {
		t.Errorf("text has %d lines", strings.Count(text, "\n"))
	}
	if len(ast.FormatDOT(a)) > 200*depth || len(ast.FormatMermaid(a)) > 200*depth {
		t.Error("diagrams are not linear")
	}
}

func TestNestedConcatsStayLinear(t *testing.T) {
	const depth = 2000
	n := parse(t, "(load a.tif 4x4 uint8)")
	for i := range depth {
		other, err := ast.NewLoad(fmt.Sprintf("%d.tif", i), "")
		if err != nil {
			t.Fatal(err)
		}
		c, err := ast.NewConcat(other, n)
		if err != nil {
			t.Fatal(err)
		}
		n = c
	}
	for name, text := range map[string]string{"text": ast.FormatText(n), "expr": ast.FormatExpr(n)} {
		if len(text) > depth*1000 {
			t.Errorf("%s of %d nodes takes %d bytes", name, 2*depth, len(text))
		}
	}
	checkRoundTrip(t, n)
}

func TestSharedSubtreesAreLinear(t *testing.T) {
	start := time.Now()
	a, b := doubling(t, 112), doubling(t, 112)
	if !ast.Equal(a, b) || ast.FingerprintOf(a) != ast.FingerprintOf(b) {
		t.Error("equal graphs differ")
	}
	checkRoundTrip(t, a)
	if text := ast.FormatText(a); strings.Count(text, "\n") > 300 {
		t.Errorf("text has %d lines", strings.Count(text, "\n"))
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestFingerprintFromManyGoroutines is for the race detector.
func TestFingerprintFromManyGoroutines(t *testing.T) {
	n := doubling(t, 80)
	want := ast.FingerprintOf(doubling(t, 80))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := ast.FingerprintOf(n); got != want {
				t.Errorf("fingerprint %v, want %v", got, want)
			}
		})
	}
	wg.Wait()
}

func TestLimits(t *testing.T) {
	load := `{"op": "load", "uri": "a.tif"}`
	file := func(tree string) string { return `{"version": 1, "tree": ` + tree + `}` }
	for _, c := range []struct{ name, json, expr, want string }{
		{
			name: "depth",
			json: file(strings.Repeat(`{"op":"overview","level":0,"input":`, ast.MaxDepth) + load + strings.Repeat("}", ast.MaxDepth)),
			expr: strings.Repeat("(overview 0 ", ast.MaxDepth) + "(load a.tif)" + strings.Repeat(")", ast.MaxDepth),
			want: "200000 nodes",
		},
		{
			name: "nodes",
			json: file(`{"op":"concat","inputs":[` + strings.Repeat(load+",", ast.MaxNodes) + load + `]}`),
			want: "more than 1000000 nodes",
		},
		{
			name: "brackets",
			json: strings.Repeat("[", 1_000_000),
			expr: strings.Repeat("(", 1_000_000),
		},
		{
			name: "arguments",
			json: file(`{"op":"load","uri":"a.tif"` + strings.Repeat(`,"uri":"a.tif"`, 1_000_000) + "}"),
			expr: "(load a.tif " + strings.Repeat("a=1 ", 1_000_000) + ")",
		},
		{
			name: "bands",
			json: file(`{"op":"concat","inputs":[` + strings.Repeat(`{"op":"load","uri":"a","size":[1,1],"dtype":"uint8","bands":65536},`, 100) + load + `]}`),
			expr: "(concat" + strings.Repeat("(load a 1x1 uint8 bands=65536)", 100) + ")",
			want: "4194304 bands over all nodes",
		},
		{
			name: "size",
			json: strings.Repeat(" ", ast.MaxFileBytes+1),
			expr: strings.Repeat(" ", ast.MaxFileBytes+1),
			want: "67108865 bytes",
		},
	} {
		if _, err := ast.ParseJSON([]byte(c.json)); err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
			t.Errorf("%s: JSON error %.200v", c.name, err)
		}
		if c.expr == "" {
			continue
		}
		if _, err := ast.ParseExpr(c.expr); err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
			t.Errorf("%s: expression error %.200v", c.name, err)
		}
	}
	if _, err := ast.ReadJSON(strings.NewReader(strings.Repeat(" ", ast.MaxFileBytes+2))); err == nil {
		t.Error("a file that is too long was read")
	}
}
