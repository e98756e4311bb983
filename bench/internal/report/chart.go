package report

import (
	"fmt"
	"image/color"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

var colors = map[string]color.Color{
	"opencv": color.RGBA{0, 90, 181, 255}, "gdal": color.RGBA{220, 50, 32, 255}, "rasterio": color.RGBA{240, 140, 90, 255},
	"vips": color.RGBA{26, 150, 65, 255}, "pillow": color.RGBA{150, 80, 180, 255}, "skimage": color.RGBA{130, 130, 130, 255},
	"ximage": color.RGBA{0, 160, 170, 255}, "delayed": color.RGBA{180, 140, 0, 255},
}

// chart draws, case by case, how many times as long as ours each peer takes,
// beside each other for one thread and for two. Rings compute less.
func (r *Run) chart(path string) error {
	groups := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var panels [2]*plot.Plot
	most := 1
	for i := range panels {
		var rows []row
		for _, w := range r.rows(groups...) {
			if w.threads == i+1 && w.ours != nil && len(w.peers) > 0 {
				rows = append(rows, w)
			}
		}
		p, err := panel(rows, threadsText(i+1), i == 0)
		if err != nil {
			return err
		}
		panels[i] = p
		most = max(most, len(rows))
	}
	const dots = 110
	width, height := 14*vg.Inch, vg.Length(most)*0.2*vg.Inch+1.2*vg.Inch
	img := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dots))
	whole := draw.New(img)
	for i, p := range panels {
		side := vg.Length(i) * width / 2
		p.Draw(draw.Crop(whole, side+vg.Points(8), side-width/2-vg.Points(8), vg.Points(6), -vg.Points(6)))
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}

func panel(rows []row, name string, legend bool) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = name
	p.X.Label.Text = "its time ÷ rewarp's (dashed: the goal; rings: computes less)"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(ticks())
	p.X.Min, p.X.Max = 0.5, 500 // room for the legend
	p.Y.Min, p.Y.Max = -1, float64(max(1, len(rows)))
	var labels []plot.Tick
	points := map[string]plotter.XYs{}
	rings := map[string]plotter.XYs{}
	for i, w := range rows {
		y := float64(len(rows) - 1 - i)
		labels = append(labels, plot.Tick{Value: y, Label: w.ID})
		for _, m := range w.peers {
			x := min(max(w.ratio(m), 0.05), 1000)
			p.X.Min, p.X.Max = min(p.X.Min, x*0.8), max(p.X.Max, x*1.2)
			to := points
			if !m.SameWork() {
				to = rings
			}
			to[m.Peer] = append(to[m.Peer], plotter.XY{X: x, Y: y})
		}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(labels)
	p.Y.Tick.Label.Font.Size, p.X.Tick.Label.Font.Size = vg.Points(9), vg.Points(9)
	p.X.Label.TextStyle.Font.Size = vg.Points(10)
	p.Y.Padding = 0
	rules(p)
	for _, t := range titles {
		if err := scatter(p, t.title, colors[t.name], points[t.name], rings[t.name], legend); err != nil {
			return nil, err
		}
	}
	p.Legend.Top = true
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	return p, nil
}

func ticks() (all []plot.Tick) {
	for _, v := range []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		all = append(all, plot.Tick{Value: v, Label: fmt.Sprint(v)})
	}
	return all
}

// rules are the lines at equal speed and at the goal, and one for each case.
func rules(p *plot.Plot) {
	for _, x := range []float64{1, goal} {
		line, err := plotter.NewLine(plotter.XYs{{X: x, Y: p.Y.Min}, {X: x, Y: p.Y.Max}})
		if err != nil {
			continue
		}
		if x == goal {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(line)
	}
	for y := 0.0; y < math.Ceil(p.Y.Max); y++ {
		line, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: y}, {X: p.X.Max, Y: y}})
		if err != nil {
			continue
		}
		line.Color, line.Width = color.Gray{225}, vg.Points(0.5)
		p.Add(line)
	}
}

func scatter(p *plot.Plot, name string, c color.Color, points, rings plotter.XYs, legend bool) error {
	for _, s := range []struct {
		at    plotter.XYs
		shape draw.GlyphDrawer
	}{{points, draw.CircleGlyph{}}, {rings, draw.RingGlyph{}}} {
		if len(s.at) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(s.at)
		if err != nil {
			return err
		}
		dots.Color, dots.Shape, dots.Radius = c, s.shape, vg.Points(3.2)
		p.Add(dots)
		if legend {
			p.Legend.Add(name, dots)
			legend = false
		}
	}
	return nil
}
