package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestTune(t *testing.T) {
	file := filepath.Join(t.TempDir(), "choices.json")
	text := must(t, "tune", tree("tree1"), "--rounds", "1", "--threads", "1", "--max-error", "0.5", "--save", file)
	for _, want := range []string{"variant ", "session ", "exact ", "no-cache ", "\nbest: ", "kept in " + file} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not print %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "wrong") || strings.Contains(text, "failed") {
		t.Errorf("a variant of ours is no good:\n%s", text)
	}
	text = must(t, "tune", tree("tree1"), "--rounds", "1", "--threads", "1", "--load", file)
	if n := strings.Count(text, "\n"); n > 7 || !strings.Contains(text, "session ") {
		t.Errorf("what was kept is measured as\n%s", text)
	}
	mustFail(t, statusFailed, runWith(t, "", "tune", tree("tree2"), "--load", file), "keeps nothing for a tree of this shape", "--save")
	mustFail(t, statusFailed, runWith(t, "", "tune", tree("tree1"), "--load", file+".not"), "--save")
}

func TestTuneJSON(t *testing.T) {
	var out struct {
		CPU, Best string
		Variants  []struct {
			Name, Status string
			Latency      float64 `json:"latency_seconds"`
		}
	}
	data := must(t, "tune", tree("tree1"), "--rounds", "1", "--json", "--max-fidelity", "geometric", "--cold")
	if err := json.Unmarshal([]byte(data), &out); err != nil {
		t.Fatal(err)
	}
	if out.CPU == "" || out.Best == "" || out.Variants[0].Name != "session" || out.Variants[0].Status != "ok" || out.Variants[0].Latency <= 0 {
		t.Errorf("it writes %s", data)
	}
}

func TestTuneUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{"--threads", "0"}, "at least 1"},
		{[]string{"--rounds", "0"}, "at least 1"},
		{[]string{"--max-error", "-1"}, "not negative"},
		{[]string{"--max-error", "NaN"}, "not negative"},
		{[]string{"--save", "a", "--load", "b"}, "exclude"},
	} {
		mustFail(t, statusUsage, runWith(t, "", append([]string{"tune", tree("tree1")}, c.args...)...), c.text)
	}
}
