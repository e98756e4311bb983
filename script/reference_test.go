package script

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

const reference = "../docs/scripting.md"

// TestReference compares the tables in docs/scripting.md with what there is.
// With -rewrite it writes them.
func TestReference(t *testing.T) {
	data, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	was := string(data)
	is := was
	for name, table := range map[string]string{
		"functions": functionReference(), "methods": methodReference(), "attributes": attributeReference(), "bounds": boundReference(),
	} {
		before, rest, ok := strings.Cut(is, "<!-- "+name+" -->\n")
		_, after, end := strings.Cut(rest, "<!-- end -->")
		if !ok || !end {
			t.Fatalf("%s has no place for %s", reference, name)
		}
		is = before + "<!-- " + name + " -->\n" + table + "<!-- end -->" + after
	}
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(reference, []byte(is), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("%s is out of date; go test ./script -rewrite mends it (-is +should be):\n%s", reference, diff)
	}
}

func functionReference() string {
	var b strings.Builder
	for _, f := range functionTable {
		fmt.Fprintf(&b, "- `%s(%s)`\n  %s\n", f.name, f.sig.text, f.doc)
	}
	return b.String()
}

func methodReference() string {
	var b strings.Builder
	for _, m := range methodTable {
		fmt.Fprintf(&b, "- `%s(%s)`\n  %s\n", m.name, strings.ReplaceAll(m.sig.text, sampled, "…"), m.doc)
	}
	fmt.Fprintf(&b, "\n`…` stands for `%s`.\n", sampled)
	return b.String()
}

func attributeReference() string {
	var b strings.Builder
	b.WriteString("| attribute | of | what |\n|---|---|---|\n")
	for _, a := range attributeTable {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.name, a.of, strings.ReplaceAll(a.doc, "|", `\|`))
	}
	return b.String()
}

func boundReference() string {
	var b strings.Builder
	b.WriteString("| bound | of a script | of one application of a rule |\n|---|---|---|\n")
	fmt.Fprintf(&b, "| steps | %d | %d |\n", DefaultSteps, RuleSteps)
	fmt.Fprintf(&b, "| memory | %s | %s |\n", bytes(DefaultMemory), bytes(RuleMemory))
	fmt.Fprintf(&b, "| operations made | %d | %d |\n", maxNodes, maxNodes)
	fmt.Fprintf(&b, "| rasters looked up | %d | 0 |\n", maxLoads)
	fmt.Fprintf(&b, "| bits of a number | %d | %d |\n", maxBits, maxBits)
	fmt.Fprintf(&b, "| values in a tuple, nested ones too | %d | %d |\n", maxTuple, maxTuple)
	fmt.Fprintf(&b, "| nested brackets | %d | |\n", maxBrackets)
	fmt.Fprintf(&b, "| tokens of a statement | %d | |\n", maxStatement)
	fmt.Fprintf(&b, "| source | %s | |\n", bytes(MaxSource))
	return b.String()
}

type anything struct{}

func (anything) Describe(context.Context, string) (ast.Meta, error) {
	return ast.Meta{Size: geom.Size{W: 512, H: 512}, Bands: ast.NumberedBands(3, raster.Uint8)}, nil
}

// TestReferenceScripts runs the scripts in docs/scripting.md.
func TestReferenceScripts(t *testing.T) {
	data, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(data), "```starlark\n")
	if len(parts) < 4 {
		t.Fatalf("%s has %d scripts", reference, len(parts)-1)
	}
	for _, p := range parts[1:] {
		src, _, _ := strings.Cut(p, "```")
		o := Options{Describer: anything{}}
		if strings.Contains(src, "rule(") {
			_, err = LoadRules(context.Background(), "scripting.md", []byte(src), o)
		} else {
			_, err = ReadTree(context.Background(), "scripting.md", []byte(src), o)
		}
		if err != nil {
			t.Errorf("%v in\n%s", err, src)
		}
	}
}

// TestTables checks that names are unique and attributes answer for their op.
func TestTables(t *testing.T) {
	if len(methods) != len(methodTable) || len(attributes) != len(attributeTable) {
		t.Error("a name stands twice in a table")
	}
	for name := range methods {
		if attributes[name] != nil {
			t.Errorf("%s is a method and an attribute", name)
		}
	}
	for name := range predeclared {
		if strings.HasPrefix(name, "guard ") {
			continue
		}
		if strings.ContainsAny(name, " .") {
			t.Errorf("%q is no name", name)
		}
	}
}
