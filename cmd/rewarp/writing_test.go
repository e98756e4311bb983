package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is the fenced block of docs/writing-a-rule.md, of one language, that
// holds a text.
func block(t *testing.T, page, language, text string) string {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(page, -1) {
		if strings.Contains(m[1], text) {
			return m[1]
		}
	}
	t.Fatalf("docs/writing-a-rule.md has no block of %s with %q", language, text)
	return ""
}

var digits = regexp.MustCompile(`\d+`)

// flat is a text without indentation, and with one digit for every number: those
// that the kit prints may differ from one version to the next.
func flat(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(digits.ReplaceAllString(strings.TrimSpace(line), "0") + "\n")
	}
	return strings.TrimSpace(b.String())
}

// TestWritingARule goes the way of docs/writing-a-rule.md, with the rule, the
// cases and the mistake that stand there.
func TestWritingARule(t *testing.T) {
	data, err := os.ReadFile("../../docs/writing-a-rule.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	image, err := filepath.Abs(testdata + "/astro.tif")
	if err != nil {
		t.Fatal(err)
	}
	_, inModule := ownModule(t)
	must(t, "new-rule", "join-twins")

	const file = "jointwins/join_twins.go"
	generated, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(generated), "// Rule is")
	_, tail, _ := strings.Cut(string(generated), "// Pipeline is")
	rule := head + block(t, page, "go", "// Rule is join-twins") + "\n// Pipeline is" + tail
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	test := func(args ...string) (string, error) {
		return inModule(append([]string{"test", "./jointwins"}, args...)...)
	}

	write(file, rule)
	const cases = "jointwins/testdata/join-twins"
	write(cases, block(t, page, "text", "# Every part is the same."))
	if out, err := test("-run", "TestCases", "-rewrite"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	filled, err := os.ReadFile(cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range strings.Split(block(t, page, "text", "no: its parts differ"), "…\n") {
		if !strings.Contains(string(filled), "----\n"+want) {
			t.Errorf("the cases became\n%s\nand the page says\n%s", filled, want)
		}
	}
	if out, err := test(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	const loop = "for b := range x.NumBands() {\n"
	write(file, strings.Replace(rule, loop, loop+"\t\t\tb = 0\n", 1))
	out, err := test("-run", "TestLaws")
	if want := block(t, page, "text", "smallest tree"); err == nil || !strings.Contains(flat(out), flat(want)) {
		t.Errorf("of the mistake the kit says\n%s\nand the page\n%s", out, want)
	}

	write("twins.star", block(t, page, "starlark", "rule(\"join-twins\""))
	two := "concat([load('" + image + "')] * 2)"
	if text := must(t, "explain", "--rules", "twins.star", "-e", two); !strings.Contains(text, "1. join-twins (") {
		t.Errorf("the script's rule does not fire:\n%s", text)
	}
	must(t, "check", "--rules", "twins.star", "--rule", "join-twins", "--trees", "50")
}
