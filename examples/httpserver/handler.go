package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// Limits on what a stranger may ask for.
const (
	maxTreeBytes = 1 << 20
	maxPixels    = 4 << 20
	maxPlans     = 256
)

// Handler renders posted trees.
type Handler struct {
	session *eval.Session
	folder  string // where relative uris start
	plans   *planCache
}

// NewHandler renders trees in a session, under its policy on what may be
// opened.
func NewHandler(s *eval.Session, folder string) http.Handler {
	h := &Handler{session: s, folder: folder, plans: newPlanCache(maxPlans)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /render", h.render)
	return mux
}

// fault is an error that is the client's, and its status.
type fault struct {
	status int
	err    error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

func (h *Handler) render(w http.ResponseWriter, r *http.Request) {
	picture, hit, err := h.picture(w, r)
	if err != nil {
		if r.Context().Err() != nil {
			return // nobody is there to read it
		}
		status := http.StatusInternalServerError
		var f *fault
		var denied *eval.PolicyError
		switch {
		case errors.As(err, &denied):
			status = http.StatusForbidden
			err = errors.New("the tree loads what this server does not open")
		case errors.As(err, &f):
			status = f.status
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("X-Plan", map[bool]string{true: "cached", false: "compiled"}[hit])
	_, _ = w.Write(picture) // a client that is gone is no fault of ours
}

func (h *Handler) picture(w http.ResponseWriter, r *http.Request) (data []byte, hit bool, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTreeBytes))
	if err != nil {
		return nil, false, &fault{http.StatusRequestEntityTooLarge, err}
	}
	tree, err := ast.ParseJSON(body, ast.BaseFolder(h.folder))
	if err != nil {
		return nil, false, &fault{http.StatusBadRequest, err}
	}
	tree, err = ast.Prepare(r.Context(), tree, h.session)
	if err != nil {
		return nil, false, &fault{http.StatusUnprocessableEntity, err}
	}
	if s := tree.Size(); int64(s.W)*int64(s.H) > maxPixels {
		return nil, false, &fault{http.StatusUnprocessableEntity, fmt.Errorf("an output of %v exceeds %d pixels", s, maxPixels)}
	}
	if n := tree.NumBands(); n != 1 && n != 3 {
		return nil, false, &fault{http.StatusUnprocessableEntity, fmt.Errorf("a picture has 1 or 3 bands, the tree %d", n)}
	}
	plan, hit, err := h.plans.get(tree, func() (*eval.Plan, error) {
		return h.session.Plan(r.Context(), tree, eval.WithType(raster.Uint8))
	})
	if err != nil {
		return nil, false, err
	}
	pixels, err := plan.Run(r.Context())
	if err != nil {
		return nil, false, err
	}
	var b bytes.Buffer
	err = png.Encode(&b, toImage(pixels))
	return b.Bytes(), hit, err
}

// toImage is a picture in which invalid is transparent.
func toImage(p *raster.Buffer) image.Image {
	img := image.NewNRGBA(p.Bounds())
	for y := range p.H {
		for x := range p.W {
			var c [3]uint8
			alpha := uint8(255)
			for i := range c {
				v, ok := p.At(x, y, min(i, p.Bands-1))
				if !ok {
					alpha = 0
				}
				c[i] = uint8(v)
			}
			img.SetNRGBA(x, y, color.NRGBA{c[0], c[1], c[2], alpha})
		}
	}
	return img
}
