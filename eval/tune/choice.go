package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// ErrNoChoice is what Load returns where nothing was saved for the tree's shape
// on this processor.
var ErrNoChoice = errors.New("tune: no choice is saved for this tree and this processor")

// Choice is a variant that was chosen, for trees of one shape on one kind of
// processor.
type Choice struct {
	CPU     string  `json:"cpu"`
	Shape   string  `json:"tree"`
	Variant Variant `json:"variant"`
	Extra   bool    `json:"extra,omitempty"` // the variant has options that are not saved
	Latency float64 `json:"latency_seconds"`
	SpeedUp float64 `json:"speed_up"`
}

// Choice makes a variant of the table a choice. What failed or is wrong cannot
// be one.
func (t *Table) Choice(name string) (Choice, error) {
	r, err := t.Row(name)
	if err != nil {
		return Choice{}, err
	}
	if !r.Eligible() {
		return Choice{}, fmt.Errorf("tune: variant %q is %s: %s", name, r.Status, r.Why)
	}
	return Choice{t.CPU, t.Shape, r.Variant, len(r.Variant.Extra) > 0, r.Latency.Seconds(), r.SpeedUp}, nil
}

// Plan is a tree planned as it was chosen, in a session like s: the caller
// closes Plan.Session. What a variant asks beyond s is refused. Further options
// that the variant had are taken from the variant of its name in extra.
func (c Choice) Plan(ctx context.Context, s *eval.Session, tree ast.Node, extra []Variant, opts ...eval.PlanOption) (*eval.Plan, error) {
	v := c.Variant
	if c.Extra {
		for _, e := range extra {
			if e.Name == v.Name {
				return e.open(ctx, s, tree, opts)
			}
		}
		return nil, fmt.Errorf("tune: the chosen variant %q has options that are not saved, and is not given", v.Name)
	}
	return v.open(ctx, s, tree, opts)
}

// file is what Save writes.
type file struct {
	Version int      `json:"version"`
	Choices []Choice `json:"choices"`
}

// maxFile bounds what Load reads.
const maxFile = 16 << 20

// Save adds choices to a file, in place of those of the same processor and
// shape. The file is complete or as it was.
func Save(path string, choices ...Choice) (err error) {
	f, err := read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, c := range choices {
		kept := f.Choices[:0]
		for _, o := range f.Choices {
			if o.CPU != c.CPU || o.Shape != c.Shape {
				kept = append(kept, o)
			}
		}
		f.Choices = append(kept, c)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tune-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b.Bytes())
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// Load finds the choice for a prepared tree on this processor in a file.
func Load(path string, tree ast.Node) (Choice, error) {
	f, err := read(path)
	if err != nil {
		return Choice{}, err
	}
	cpu, shape := CPU(), Shape(tree)
	for _, c := range f.Choices {
		if c.CPU == cpu && c.Shape == shape {
			return c, nil
		}
	}
	return Choice{}, fmt.Errorf("%s: %w", path, ErrNoChoice)
}

func read(path string) (file, error) {
	f := file{Version: 1}
	fi, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	if fi.Size() > maxFile {
		return f, fmt.Errorf("tune: %s is larger than %d MiB", path, maxFile>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("tune: %s is no file of choices: %w", path, err)
	}
	if f.Version != 1 {
		return f, fmt.Errorf("tune: %s is of version %d, expected 1", path, f.Version)
	}
	return f, nil
}
