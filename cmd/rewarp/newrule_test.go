package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ownModule is a folder, the current one from here on, with a module that uses
// this checkout, and runs the go command in it.
func ownModule(t *testing.T) (dir string, run func(args ...string) (string, error)) {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("it runs the go command")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	t.Chdir(dir)
	run = func(args ...string) (string, error) {
		cmd := exec.Command(goTool, args...)
		// Everything that the generated files import is a dependency of ours.
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GONOSUMDB=*", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, args := range [][]string{
		{"mod", "init", "example.com/rules"},
		{"mod", "edit", "-require", "github.com/rewarp/rewarp@v0.0.0", "-replace", "github.com/rewarp/rewarp=" + root},
	} {
		if out, err := run(args...); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	if err := os.WriteFile("go.sum", sum, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir, run
}

// What new-rule writes builds, and its tests pass, in a module of one's own.
func TestNewRule(t *testing.T) {
	dir, inModule := ownModule(t)
	var out newRuleJSON
	if err := json.Unmarshal([]byte(must(t, "new-rule", "join-twins", "--json")), &out); err != nil {
		t.Fatal(err)
	}
	if out.Package != "jointwins" || len(out.Files) != 3 || out.Module != filepath.Join(dir, "go.mod") {
		t.Errorf("it says %+v", out)
	}
	if text := must(t, "new-rule", "a-test", "--dir", "some/rewrite"); !strings.Contains(text, "  go test ./some/rewrite\n") || strings.Contains(text, "go mod init") {
		t.Errorf("it says\n%s", text)
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./jointwins"}} {
		if out, err := inModule(args...); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}

	mustFail(t, statusFailed, runWith(t, "", "new-rule", "join-twins"), "join_twins.go is there already")
}

func TestNewRuleNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"fuse-crops": "is a built-in rule's",
		"Crop":       "expected words of small letters",
		"a_b":        "expected words of small letters",
		"../x":       "expected words of small letters",
	} {
		mustFail(t, statusUsage, runWith(t, "", "new-rule", name), want)
	}
	mustFail(t, statusUsage, runWith(t, "", "new-rule"), "missing NAME")
	for _, c := range []struct{ name, dir, pkg string }{
		{"join-twins", "", "jointwins"},
		{"func", "", "funcrule"},
		{"x", "a/Tile-Rules", "tilerules"},
		{"x-y", "9", "xy"},
		{"go", "rules", "gorule"},
	} {
		if r, _, err := nameRule(c.name, c.dir); err != nil || r.Package != c.pkg {
			t.Errorf("new-rule %s --dir %q: package %q, want %q (%v)", c.name, c.dir, r.Package, c.pkg, err)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("it wrote %v, %v", entries, err)
	}
}

// A name that ends as the files of one system or of tests do gives files that
// are built everywhere.
func TestNewRuleFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"fuse-twice":         "fuse_twice.go",
		"open-windows":       "open_windows_rule.go",
		"crop-js":            "crop_js_rule.go",
		"bend-arm":           "bend_arm_rule.go",
		"windows":            "windows.go",
		"a-test":             "a_test_rule.go",
		"linux-windows-crop": "linux_windows_crop.go",
	} {
		r, folder, err := nameRule(name, "")
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.write(folder)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.Base(files[0]); got != want {
			t.Errorf("new-rule %s writes %s, want %s", name, got, want)
		}
	}
}
