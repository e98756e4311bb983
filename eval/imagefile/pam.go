package imagefile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// pamDataset is the part of GDAL's .aux.xml file that belongs to the meaning of
// a raster: what its format had no place for.
type pamDataset struct {
	XMLName      xml.Name  `xml:"PAMDataset"`
	SRS          string    `xml:"SRS,omitempty"`
	GeoTransform string    `xml:"GeoTransform,omitempty"`
	Bands        []pamBand `xml:"PAMRasterBand"`
}

type pamBand struct {
	Band        int     `xml:"band,attr"`
	Description string  `xml:"Description,omitempty"`
	NoData      *string `xml:"NoDataValue"`
}

// maxPAM bounds the file that is read. GDAL keeps histograms in it too.
const maxPAM = 16 << 20

// readPAM adds what the file at path says to m. It need not exist.
func readPAM(path string, m *ast.Meta) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case fi.Size() > maxPAM:
		return fmt.Errorf("the .aux.xml file beside it has %d bytes, more than %d", fi.Size(), maxPAM)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var p pamDataset
	if err := xml.Unmarshal(text, &p); err != nil {
		return fmt.Errorf("the .aux.xml file beside it: %w", err)
	}
	for _, b := range p.Bands {
		if b.Band < 1 || b.Band > len(m.Bands) {
			continue
		}
		to := &m.Bands[b.Band-1]
		if b.Description != "" {
			to.Name = b.Description
		}
		if b.NoData != nil {
			to.NoData, to.HasNoData = 0, false
			if v, err := strconv.ParseFloat(strings.TrimSpace(*b.NoData), 64); err == nil {
				if v, ok := storedNoData(to.Type, v); ok {
					to.NoData, to.HasNoData = v, true
				}
			}
		}
	}
	if t, ok := parseGeoTransform(p.GeoTransform); ok {
		srs := ""
		if m.Geo != nil {
			srs = m.Geo.SRS
		}
		m.Geo = &ast.GeoRef{Transform: t, SRS: srs}
	}
	if m.Geo != nil && p.SRS != "" {
		m.Geo.SRS = p.SRS
	}
	return nil
}

func parseGeoTransform(text string) (geom.Transform, bool) {
	f := strings.Split(text, ",")
	if len(f) != 6 {
		return geom.Transform{}, false
	}
	var g [6]float64
	for i, s := range f {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return geom.Transform{}, false
		}
		g[i] = v
	}
	t := geom.Affine(g[1], g[2], g[0], g[4], g[5], g[3])
	return t, t.IsFinite()
}

func (p *pamDataset) empty() bool {
	return p.SRS == "" && p.GeoTransform == "" && len(p.Bands) == 0
}

// setGeo keeps the transform to the world too where the format cannot.
func (p *pamDataset) setGeo(g *ast.GeoRef, transform bool) {
	if g == nil {
		return
	}
	p.SRS = g.SRS
	if t := g.Transform; transform {
		p.GeoTransform = fmt.Sprintf("%.17g, %.17g, %.17g, %.17g, %.17g, %.17g", t[2], t[0], t[1], t[5], t[3], t[4])
	}
}
