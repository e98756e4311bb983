package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fence   = regexp.MustCompile("(?s)```(sh|text)\n(.*?)```")
	invoked = map[string]*regexp.Regexp{
		"sh":   regexp.MustCompile(`(?m)^rewarp (.*)$`),
		"text": regexp.MustCompile(`(?m)^\$ rewarp (.*)$`),
	}
	word = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
)

// Every command that the README and the pages of docs show has the name and the
// flags that there are.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range fence.FindAllStringSubmatch(string(data), -1) {
			for _, m := range invoked[block[1]].FindAllStringSubmatch(block[2], -1) {
				seen++
				args := commandWords(m[1])
				if strings.Contains(m[1], "--befor ") {
					continue // the transcript of that mistake
				}
				root := (&app{}).root()
				root.InitDefaultCompletionCmd(args...)
				cmd, rest, err := root.Find(args)
				if err == nil {
					err = cmd.ParseFlags(rest)
				}
				if err != nil || !cmd.HasParent() {
					t.Errorf("%s: rewarp %s: %v", filepath.Base(page), m[1], err)
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d commands were found", seen)
	}
}

// commandWords are the arguments of a line, up to a pipe or a comment.
func commandWords(line string) []string {
	var args []string
	for _, w := range word.FindAllString(line, -1) {
		if w == "#" || w == "|" || w == "&&" || w == ">" {
			break
		}
		args = append(args, strings.Trim(w, `'"`))
	}
	return args
}
