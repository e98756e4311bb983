package tiff

import (
	"encoding/xml"
	"strings"
)

// Item is one entry of the metadata that GDAL writes into a file.
type Item struct {
	Name   string `xml:"name,attr"`
	Domain string `xml:"domain,attr"`
	Sample *int   `xml:"sample,attr"` // the band, from 0; nil where it is about the whole file
	Role   string `xml:"role,attr"`
	Value  string `xml:",chardata"`
}

// Roles of items about bands.
const (
	RoleDescription = "description"
	RoleColor       = "colorinterp"
)

// GDAL escapes the text of its metadata before it writes the XML, which escapes
// it again.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")

// GDALItems are the entries of the text of TagGDALMetadata. Space before a value
// is none of it, as in GDAL.
func GDALItems(text string) ([]Item, error) {
	var m struct {
		Items []Item `xml:"Item"`
	}
	if err := xml.Unmarshal([]byte(text), &m); err != nil {
		return nil, err
	}
	for i := range m.Items {
		m.Items[i].Value = unescape.Replace(strings.TrimLeft(m.Items[i].Value, " \t\n\v\f\r"))
	}
	return m.Items, nil
}
