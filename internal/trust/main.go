// Command trust writes docs/trust.md: what a run of `rewarp check` found, how
// good the fixpoint is, which planted faults the kit caught, and how often the
// fuzz targets ran. `make trust` runs it.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"unicode"
)

func main() {
	check := flag.String("check", "", "the JSON that rewarp check wrote")
	out := flag.String("o", "docs/trust.md", "the page to write")
	trees := flag.Int("optimality", 10000, "small trees of which every firing order is tried")
	log := flag.String("fuzz", "", "what make fuzz printed, to be added to "+fuzzFile+"; nothing else is done then")
	flag.Parse()
	err := error(nil)
	if *log != "" {
		err = addFuzz(*log)
	} else {
		err = run(*check, *out, *trees)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
}

func run(check, out string, trees int) error {
	data, err := os.ReadFile(check)
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("%s: %w", check, err)
	}
	faults, err := planted()
	if err != nil {
		return err
	}
	laws, err := lawTests()
	if err != nil {
		return err
	}
	runs, err := fuzzRuns()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprint(&b, intro)
	r.summary(&b, len(faults), runs)
	r.laws(&b)
	writeLawTests(&b, laws)
	r.differences(&b)
	writePlanted(&b, faults)
	if err := optimality(&b, trees); err != nil {
		return err
	}
	fuzzing(&b, runs)
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// passed runs tests by name, and returns the lines of those that passed.
func passed(pattern, pkg string) ([]string, error) {
	text, err := exec.Command("go", "test", "-count=1", "-v", "-run", pattern, pkg).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v\n%s", err, text)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- PASS: "); ok {
			name, _, _ = strings.Cut(name, " ")
			names = append(names, name)
		}
	}
	return names, nil
}

// planted are the faults that the kit's own tests plant, and catch.
func planted() ([]string, error) {
	names, err := passed("TestPlantedFaultsAreCaught|TestFalseTraitsAreCaught|TestPingPongIsCaught|TestCampaignComparesByEveryLaw", "./rewrite/rewritetest")
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, name := range names {
		test, fault, ok := strings.Cut(name, "/")
		if !ok {
			continue
		}
		fault = strings.ReplaceAll(fault, "_", " ")
		if test == "TestCampaignComparesByEveryLaw" {
			fault = "breaks the " + fault + " law in a campaign"
		}
		faults = append(faults, fault)
	}
	return faults, nil
}

func writePlanted(b *bytes.Buffer, faults []string) {
	fmt.Fprint(b, "\n## Planted faults\n\nWrong rules and false traits, one of each kind. The kit has to catch each and name the law.\n\n| fault | caught |\n|---|---|\n")
	for _, f := range faults {
		fmt.Fprintf(b, "| %s | yes |\n", f)
	}
}

// lawTests are the property tests of the laws, as sentences.
func lawTests() ([]string, error) {
	text, err := exec.Command("go", "test", "-list", "^TestLaw[A-Z]", "./rules").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v\n%s", err, text)
	}
	var laws []string
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "TestLaw"); ok {
			laws = append(laws, words(name))
		}
	}
	return laws, nil
}

// words spells a name out: "CropOfCropIsOneCrop" is "crop of crop is one crop".
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func writeLawTests(b *bytes.Buffer, laws []string) {
	fmt.Fprint(b, "\nEach law of the meaning and of the engine also has a property test of its own, `TestLaw…` in rules: ")
	fmt.Fprintf(b, "%s.\n", strings.Join(laws, "; "))
}
