//go:build browser

package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const root = "../../.."

// explain writes the page of a tree, and returns its address.
func explain(t *testing.T, tree string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "page.html")
	command := exec.Command(filepath.Join(root, "bin", "rewarp"), append([]string{"explain", "--html", out, tree}, flags...)...)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return "file://" + out
}

// browser starts Chromium. The test fails where a page logs an error, throws,
// breaks its own policy or opens a dialog.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1280, 900))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(stop)
	var mu sync.Mutex
	var wrong []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			wrong = append(wrong, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			wrong = append(wrong, fmt.Sprintf("%v: %s", e.Entry.Level, e.Entry.Text))
		case *page.EventJavascriptDialogOpening:
			wrong = append(wrong, "a dialog opened: "+e.Message)
		}
	})
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if len(wrong) > 0 {
			t.Errorf("the page is not quiet:\n%s", strings.Join(wrong, "\n"))
		}
	})
	return ctx
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// state is what the page shows.
type state struct {
	Shown    []string // the steps that are not hidden
	Current  []string // the buttons that say so
	Position string
	Previous bool // can be pressed
	Next     bool
	Bars     []string
	Hash     string
}

const readState = `({
	Shown: [...document.querySelectorAll(".step")].filter(s => s.checkVisibility()).map(s => s.id),
	Current: [...document.querySelectorAll("[aria-current=step]")].map(b => b.dataset.step),
	Position: document.getElementById("position").textContent,
	Previous: !document.getElementById("previous").disabled,
	Next: !document.getElementById("next").disabled,
	Bars: [...document.querySelectorAll(".current[data-bar]")].map(b => b.dataset.bar),
	Hash: location.hash,
})`

// at fails unless the page shows one step of so many.
func at(t *testing.T, ctx context.Context, step, last int) {
	t.Helper()
	var s state
	do(t, ctx, chromedp.Evaluate(readState, &s))
	number := fmt.Sprint(step)
	want := state{
		Shown: []string{"step" + number}, Current: []string{number}, Position: fmt.Sprintf("%d of %d", step, last),
		Previous: step > 0, Next: step < last, Bars: []string{number, number, number, number}, Hash: s.Hash,
	}
	if fmt.Sprint(s) != fmt.Sprint(want) {
		t.Errorf("the page shows %+v\nwant %+v", s, want)
	}
	if s.Hash != "" && s.Hash != "#step"+number {
		t.Errorf("at step %d the address ends in %q", step, s.Hash)
	}
}

const firings = 11 // of the third tree

func TestStepThrough(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, log.Enable(), chromedp.Navigate(explain(t, filepath.Join(root, "testdata/trees/tree3.json"))))
	at(t, ctx, 0, firings)
	for i := range firings { // the button
		do(t, ctx, chromedp.Click("#next"))
		at(t, ctx, i+1, firings)
	}
	do(t, ctx, chromedp.Click("#previous"))
	at(t, ctx, firings-1, firings)
	do(t, ctx, chromedp.Click(`[data-step="3"]`)) // the timeline
	at(t, ctx, 3, firings)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
	at(t, ctx, 4, firings)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	at(t, ctx, 2, firings)

	// By keyboard alone, from the top: the first button that can be pressed.
	var focused string
	const focus = `document.activeElement.id || document.activeElement.dataset.step`
	do(t, ctx, chromedp.Evaluate(`document.activeElement.blur(); scrollTo(0, 0)`, nil), chromedp.Focus("#next"), chromedp.Evaluate(focus, &focused))
	if focused != "next" {
		t.Errorf("the focus is on %q", focused)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	at(t, ctx, 3, firings)
	do(t, ctx, chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(focus, &focused))
	if focused != "0" {
		t.Errorf("after next comes %q, want the timeline", focused)
	}
	do(t, ctx, chromedp.KeyEvent(" "))
	at(t, ctx, 0, firings)

	// A link to a step.
	do(t, ctx, chromedp.Evaluate(`location.hash = "#step7"`, nil), chromedp.Sleep(200*time.Millisecond))
	at(t, ctx, 7, firings)
	do(t, ctx, chromedp.Reload())
	at(t, ctx, 7, firings)
}

// Each step shows its own tree, and the raster behind it.
func TestPictures(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, log.Enable(), chromedp.Navigate(explain(t, filepath.Join(root, "testdata/trees/tree3.json"))))
	var boxes []int
	var image string
	do(t, ctx,
		chromedp.Evaluate(`[...document.querySelectorAll(".step")].map(s => s.querySelectorAll("svg.tree .box").length)`, &boxes),
		chromedp.Evaluate(`document.querySelector("symbol image").getAttribute("href").slice(0, 22)`, &image))
	if fmt.Sprint(boxes) != "[10 9 8 7 7 6 6 5 4 3 4 4]" {
		t.Errorf("the steps show %v nodes", boxes)
	}
	if image != "data:image/png;base64," {
		t.Errorf("the thumbnail is %q", image)
	}
}

// Nothing on a phone is wider than the phone, whichever step is shown.
func TestPhone(t *testing.T) {
	ctx := browser(t)
	do(t, ctx, log.Enable(), chromedp.EmulateViewport(360, 780, chromedp.EmulateMobile),
		chromedp.Navigate(explain(t, filepath.Join(root, "testdata/trees/tree3.json"), "--analyze")))
	for i := range firings + 1 {
		var width int
		do(t, ctx, chromedp.Evaluate(`document.documentElement.scrollWidth`, &width))
		if width > 360 {
			t.Errorf("step %d takes %d pixels", i, width)
		}
		if i < firings {
			do(t, ctx, chromedp.Click("#next"))
		}
	}
	at(t, ctx, firings, firings)
}

// A tree of strangers' names runs nothing.
func TestHostile(t *testing.T) {
	ctx := browser(t)
	tree := filepath.Join(t.TempDir(), `<img src=x onerror=alert(1)>.json`)
	text := `{"version": 1, "tree": {"op": "crop", "window": [0, 0, 9, 9], "input": {"op": "warp", "transform": {"scale": 0.5}, "input":
		{"op": "load", "uri": "\"><script>alert(2)<\/script><img src=x onerror=alert(3)>' onload='alert(4)", "size": [99, 99], "bands": 2, "dtype": "uint8",
		"channels": "<img src=x onerror=alert(5)>|<\/title><\/style><\/script><svg onload=alert(6)>"}}}}`
	if err := os.WriteFile(tree, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, log.Enable(), chromedp.Navigate(explain(t, tree)))
	var strange int
	do(t, ctx, chromedp.Sleep(300*time.Millisecond),
		chromedp.Evaluate(`document.querySelectorAll("img, [onerror], [onload], script:not(body > script)").length`, &strange))
	if strange != 0 {
		t.Errorf("%d elements came from names", strange)
	}
}

// A film shows one frame at a time, each in its turn, and where motion is not
// wanted the last one.
func TestFilm(t *testing.T) {
	ctx := browser(t)
	film, err := filepath.Abs(filepath.Join(root, "docs/img/film.svg"))
	if err != nil {
		t.Fatal(err)
	}
	const shown = `[...document.querySelectorAll(".frame")].map((f, i) => getComputedStyle(f).visibility === "visible" ? i : -1).filter(i => i >= 0)`
	var frames []int
	do(t, ctx, log.Enable(), chromedp.Navigate("file://"+film))
	for i := range firings + 1 {
		// Animations of frame i have run for as long as its delay was, and a second.
		do(t, ctx, chromedp.Evaluate(fmt.Sprintf(`document.getAnimations().forEach(a => { a.pause(); a.currentTime = %d })`, 2000*i+1000), nil),
			chromedp.Evaluate(shown, &frames))
		if fmt.Sprint(frames) != fmt.Sprint([]int{i}) {
			t.Errorf("after %d seconds the frames %v are shown", 2*i+1, frames)
		}
	}
	do(t, ctx, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}),
		chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+film), chromedp.Evaluate(shown, &frames))
	if fmt.Sprint(frames) != fmt.Sprint([]int{firings}) {
		t.Errorf("without motion the frames %v are shown", frames)
	}
}

// With REWARP_SCREENSHOTS=FOLDER the pages are painted, to be looked at.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("REWARP_SCREENSHOTS")
	if folder == "" {
		t.Skip("REWARP_SCREENSHOTS is not set")
	}
	ctx := browser(t)
	tree := filepath.Join(root, "testdata/trees/tree3.json")
	plain, analyzed := explain(t, tree), explain(t, tree, "--analyze")
	for _, c := range []struct {
		name        string
		width, step int
		theme       string
		whole       bool
	}{
		{"explain", 1000, 11, "light", false},
		{"desktop", 1280, 11, "light", true},
		{"desktop-dark", 1280, 8, "dark", true},
		{"phone", 360, 5, "light", true},
		{"phone-dark", 360, 11, "dark", true},
	} {
		var picture []byte
		address, shot := plain, chromedp.CaptureScreenshot(&picture)
		if c.whole {
			address, shot = analyzed, chromedp.FullScreenshot(&picture, 100)
		}
		do(t, ctx, chromedp.EmulateViewport(int64(c.width), 960),
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.theme}}),
			chromedp.Navigate("about:blank"), chromedp.Navigate(address), chromedp.Evaluate(fmt.Sprintf(`document.querySelector('[data-step="%d"]').click()`, c.step), nil), shot)
		save(t, filepath.Join(folder, c.name+".png"), picture)
	}
}

// save packs a PNG tighter than the browser does.
func save(t *testing.T, file string, data []byte) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
