package script_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rewarp/rewarp/script"
)

// grows is what a hostile script may make the heap grow by: the memory that it
// is given, and what its steps and their garbage take.
const grows = 500 << 20

// hostile scripts end with an error that says what bound they met.
var hostile = []struct{ name, src, want string }{
	{"endless loop", "for i in range(1 << 40):\n  for j in range(1 << 40): pass", "more than 1000000 steps"},
	{"endless comprehension", "[j for i in range(1 << 40) for j in ()]", "more than 1000000 steps"},
	{"recursion", "def f(n): return f(n + 1)\nf(0)", "recursively"},
	{"recursion through lambdas", "f = lambda g: g(g)\nf(f)", "recursively"},
	{"while", "while True: pass", "while"},
	{"repeat a string", `"a" * 1000000000`, "64 MiB"},
	{"repeat a number of times beyond int64", `"a" * (1 << 90)`, "64 MiB"},
	{"repeat a list", "[0] * 1000000000", "64 MiB"},
	{"repeat a tuple", "(0,) * 1000000000", "64 MiB"},
	{"double a string", "s = 'ab'\nfor i in range(100): s += s", "64 MiB"},
	{"double a string in a list", "s = ['ab']\nfor i in range(100): s[0] += s[0]", "64 MiB"},
	{"double a list", "s = [0]\nfor i in range(100): s = s + s", "64 MiB"},
	{"double a list in place", "s = [0]\nfor i in range(100): s += s", "64 MiB"},
	{"double a list by a method", "s = [0]\nfor i in range(100): s.extend(s)", "64 MiB"},
	{"double by join", "s = 'ab'\nfor i in range(100): s = s.join([s, s])", "64 MiB"},
	{"double by format", "s = 'ab'\nfor i in range(100): s = '{}{}'.format(s, s)", "64 MiB"},
	{"double by named format", "s = 'ab'\nfor i in range(100): s = '{x}{x}'.format(x=s)", "64 MiB"},
	{"double by percent", "s = 'ab'\nfor i in range(100): s = '%s%s' % (s, s)", "65536 values"},
	{"square by replace", "s = 'aaaa'\nfor i in range(100): s = s.replace('a', s)", "64 MiB"},
	{"square by getattr", "s = 'aaaa'\nfor i in range(100): s = getattr(s, 'replace')('', s)", "64 MiB"},
	{"keep what dies", "x = [str(list(range(1000))) for i in range(100000)]", "64 MiB"},
	{"square a number", "n = 3\nfor i in range(100): n = n * n", "4096 bits"},
	{"shift a number", "n = 1\nfor i in range(100): n = n << 500", "4096 bits"},
	{"shift far", "1 << (1 << 70)", "4096 bits"},
	{"a long literal", "n = " + strings.Repeat("9", 2000), "4096 bits"},
	{"a number of a long text", "int('9' * 100000)", "more than 1024 characters"},
	{"list of a range", "list(range(1 << 40))", "64 MiB"},
	{"sort a range", "sorted(range(1 << 40))", "64 MiB"},
	{"largest of a range", "max(range(1 << 40))", "64 MiB"},
	{"all of a range", "all(range(1, 1 << 40))", "64 MiB"},
	{"zip of ranges", "zip(range(1 << 40), range(1 << 40))", "64 MiB"},
	{"dict of pairs", "dict(zip(range(1 << 30), range(1 << 30)))", "64 MiB"},
	{"set of a range", "set(range(1 << 40))", "64 MiB"},
	{"arguments of a range", "max(*range(1 << 40))", "64 MiB"},
	{"extend by a range", "[].extend(range(1 << 40))", "64 MiB"},
	{"join of a range", "','.join(range(1 << 40))", "64 MiB"},
	{"format of shared parts", "x = [0]\nfor i in range(60): x = [x, x]\nstr(x)", "too large or too deep"},
	{"print of shared parts", "x = [0]\nfor i in range(60): x = [x, x]\nprint(x)", "too large or too deep"},
	{"print of itself", "x = []\nx.append(x)\nprint(x)", "too large or too deep"},
	{"nest deep and write", "x = []\nfor i in range(100000): x = [x]\nstr(x)", "too large or too deep"},
	{"nest deep and end", "x = []\nfor i in range(110000): x = [x]", "no tree"},
	{"hash shared parts", "x = (0,)\nfor i in range(60): x = (x, x)\n{x: 1}", "65536 values"},
	{"hash parts of zip", "x = (0,)\nfor i in range(60): x = zip([x], [x])[0]\n{x: 1}", "65536 values"},
	{"hash parts of popitem", "x = (0,)\nfor i in range(60): x = {x: x}.popitem()\n{x: 1}", "recursion depth"},
	{"hash parts of a sum", "x = (0,)\nfor i in range(60): x = x + x\n{x: 1}", "65536 values"},
	{"hash long texts", "s = 'a' * 1000000\nx = (s,) * 10000", "65536 values"},
	{"hash a long text for ever", "s = 'a' * 10000000\nd = {}\nfor i in range(900000): d[s] = i", "steps"},
	{"look up a long text for ever", "s = 'a' * 10000000\nd = {}\nfor i in range(900000): d.get(s)", "steps"},
	{"compare shared parts", "x = [0]\nfor i in range(60): x = [x, x]\ny = [0]\nfor i in range(60): y = [y, y]\nx == y", "too large or too deep"},
	{"compare wide shared parts", "def f():\n  x = [0] * 300\n  for i in range(6): x = [x] * 300\n  return x\nf() == f()", "too large or too deep"},
	{"sort by shared parts", "x = [0] * 300\nfor i in range(6): x = [x] * 300\nsorted([1, 2], key = lambda i: x)", "too large or too deep"},
	{"find in a list for ever", "x = list(range(100000))\nfor i in range(900000): -1 in x", "steps"},
	{"insert for ever", "x = list(range(100000))\nfor i in range(300000): x.insert(0, i)", "steps"},
	{"split", "('a,' * 10000000).split(',')", "64 MiB"},
	{"elems", "list('abc'.elems())", "no .elems"},
	{"deep brackets", strings.Repeat("(", 100000) + strings.Repeat(")", 100000), "nest deeper"},
	{"deep signs", "x = " + strings.Repeat("-", 9000) + "1", "nesting"},
	{"long sum", "x = 1" + strings.Repeat(" + 1", 60000), "tokens"},
	{"long chain", "x = a" + strings.Repeat(".b", 60000), "tokens"},
	{"many subscripts", "x = a" + strings.Repeat("[0:1, 0:1]", 1000), "undefined: a"},
	{"nested subscripts", "x = a" + strings.Repeat("[0:a", 150) + strings.Repeat(", 0:1]", 150), "undefined: a"},
	{"many alternatives", "x = 1\nif x: x = 1\n" + strings.Repeat("elif x: x = 1\n", 15000), "no tree"},
	{"long source", strings.Repeat("#", script.MaxSource+1), "at most 262144"},
	{"bad text", "x = \"\xff\"", "UTF-8"},
	{"many nodes", "x = fill((8, 8))\nfor i in range(1000000): x = x.pad(1)", "32768 operations"},
	{"many bands", "x = fill((8, 8), bands=60000)\nfor i in range(1000): x = x.take_channels(list(range(60000)))", "64 MiB"},
	{"double bands", "x = fill((8, 8))\nfor i in range(64): x = concat(x, x)", "exceeds 65536 bands"},
	{"double and undo", "x = fill((8, 8))\nfor i in range(15): x = concat(x, x)\nfor i in range(200): x.undo_warps()", "64 MiB"},
	{"many channels", "load('a.tif', channels='B.0:60000', size=(8, 8), dtype='uint8').take_channels('B.0:' + '9' * 30)", "range"},
	{"print a tree for ever", "x = fill((8, 8), bands=1000)\nfor i in range(3000): x.print_graph()", "64 MiB"},
	{"ask for names for ever", "x = fill((8, 8), bands=60000)\ny = [x.channels for i in range(1000000)]", "64 MiB"},
	{"ask what there is for ever", "x = fill((8, 8), bands=60000)\ny = [hasattr(x, 'dtypes') for i in range(1000000)]", "steps"},
	{"compare trees for ever", "def f():\n  x = fill((8, 8))\n  for i in range(10000): x = x.pad(1)\n  return x\nx, y = f(), f()\nfor i in range(1000000): x == y", "steps"},
	{"select for ever", "x = fill((8, 8), bands=60000)\nfor i in range(1000000): x.take_channels('1')", "steps"},
	{"load for ever", "for i in range(10000): load('small.tif', 'a|b|c|d' + str(i))", "names 4 bands"},
	{"shadow a guard", "len = 3\nNone_ = 4\ndef list(x): return 'a' * 1000000000\nlist(1)", "64 MiB"},
}

func TestHostile(t *testing.T) {
	for _, h := range hostile {
		t.Run(strings.ReplaceAll(h.name, " ", "-"), func(t *testing.T) {
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, err := script.ReadTree(context.Background(), "h.star", []byte(h.src), script.Options{Describer: shelf{}})
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), h.want) {
				t.Errorf("error %v, expected one about %q", err, h.want)
			}
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if got := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && got > grows {
				t.Errorf("the heap grew by %d MiB", got>>20)
			}
			if testing.Verbose() {
				t.Logf("%v, heap %d MiB, %v", took.Round(time.Millisecond), after.HeapSys>>20, err)
			}
		})
	}
}

// TestCancel ends a script with its context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	o := script.Options{Steps: 1 << 60}
	_, err := script.ReadTree(ctx, "c.star", []byte("for i in range(1 << 50): pass"), o)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "c.star:1:") {
		t.Errorf("error %v, expected the context's", err)
	}
	_, err = script.ReadTree(ctx, "c.star", []byte("load('a.tif')"), o)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, expected the context's", err)
	}
}
