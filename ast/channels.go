package ast

import (
	"fmt"
	"image"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rewarp/rewarp/internal/spelling"
)

// ParseChannels reads a channel spec: band names between bars, such as
// "r|g|b". A name may be a range: "B.0:13" stands for B.0 to B.12, "B.0:13:2"
// for every second of them, and "B:13" is short for "B.0:13". A spec names at
// most MaxBands bands.
func ParseChannels(spec string) ([]string, error) {
	if spec == "" {
		return nil, fmt.Errorf("channel spec is empty, expected names such as \"r|g|b\"")
	}
	var names []string
	for i, part := range strings.Split(spec, "|") {
		var err error
		if names, err = appendChannels(names, part); err != nil {
			return nil, fmt.Errorf("channel spec %s, name %d: %w", quoteShort(spec), i+1, err)
		}
	}
	return names, nil
}

func appendChannels(names []string, part string) ([]string, error) {
	if err := checkChannelName(part); err != nil {
		return nil, err
	}
	prefix, bounds, isRange := strings.Cut(part, ":")
	if !isRange {
		if len(names) == MaxBands {
			return nil, fmt.Errorf("%s exceeds %d bands", quoteShort(part), MaxBands)
		}
		return append(names, part), nil
	}
	from := "0"
	if dot := strings.LastIndexByte(prefix, '.'); dot >= 0 && isDigits(prefix[dot+1:]) {
		prefix, from = prefix[:dot], prefix[dot+1:]
	}
	to, step, hasStep := strings.Cut(bounds, ":")
	if !hasStep {
		step = "1"
	}
	if prefix == "" {
		return nil, fmt.Errorf("range %s has no name before its bounds", quoteShort(part))
	}
	var bound [3]int
	for i, s := range [3]string{from, to, step} {
		v, err := strconv.Atoi(s)
		if err != nil || !isDigits(s) {
			return nil, fmt.Errorf("range %s has bound %s, expected a whole number as in \"B.0:13\"", quoteShort(part), quoteShort(s))
		}
		bound[i] = v
	}
	first, stop, by := bound[0], bound[1], bound[2]
	switch {
	case by == 0:
		return nil, fmt.Errorf("range %s has step 0", quoteShort(part))
	case stop <= first:
		return nil, fmt.Errorf("range %s is empty", quoteShort(part))
	case (stop-first-1)/by+1 > MaxBands-len(names):
		return nil, fmt.Errorf("range %s exceeds %d bands", quoteShort(part), MaxBands)
	}
	for n := (stop-first-1)/by + 1; n > 0; n-- {
		names = append(names, prefix+"."+strconv.Itoa(first))
		first += by
	}
	return names, nil
}

func checkChannelName(part string) error {
	switch {
	case part == "":
		return fmt.Errorf("is empty")
	case !utf8.ValidString(part):
		return fmt.Errorf("%s is not UTF-8", quoteShort(part))
	case strings.TrimSpace(part) != part:
		return fmt.Errorf("%s has white space around it", quoteShort(part))
	case strings.ContainsFunc(part, unicode.IsControl):
		return fmt.Errorf("%s has a control character", quoteShort(part))
	}
	return nil
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// FormatChannels writes the spec that ParseChannels reads as these names. Runs
// of three or more numbered names become a range. Names that hold a bar or a
// colon have no spec; they are written as they are.
func FormatChannels(names []string) string {
	var b strings.Builder
	for i := 0; i < len(names); {
		if i > 0 {
			b.WriteByte('|')
		}
		n := 1
		if prefix, first, ok := numberedName(names[i]); ok {
			for i+n < len(names) && names[i+n] == prefix+"."+strconv.Itoa(first+n) {
				n++
			}
			if n > 2 {
				fmt.Fprintf(&b, "%s.%d:%d", prefix, first, first+n)
				i += n
				continue
			}
		}
		b.WriteString(names[i])
		i++
	}
	return b.String()
}

// numberedName splits "B.7" into B and 7.
func numberedName(name string) (prefix string, number int, ok bool) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 1 || !isDigits(name[dot+1:]) {
		return "", 0, false
	}
	number, err := strconv.Atoi(name[dot+1:])
	ok = err == nil && number < MaxExtent && strconv.Itoa(number) == name[dot+1:]
	return name[:dot], number, ok
}

// Missing says what Select does about a name that no band has.
type Missing uint8

// The answers to a missing name.
const (
	MissingIsError   Missing = iota // Select fails and says which names there are
	MissingIsInvalid                // the band is there, without a valid sample
)

// Select is the bands of in that the spec names, in the order of the spec; a
// name that several bands have means the first of them. Names are found across
// the parts of a Concat. The metadata of in must be known.
func Select(in Node, spec string, missing Missing) (Node, error) {
	if in == nil {
		return nil, &Error{Op: "select", Arg: "input", Limit: "is nil"}
	}
	names, err := ParseChannels(spec)
	if err != nil {
		return nil, &Error{Op: "select", Arg: "channels", Err: err}
	}
	if !in.Known() {
		return nil, &Error{Op: "select", Arg: "channels", Value: spec, Limit: "needs the band names, and the metadata of a leaf is unknown"}
	}
	index := make(map[string]int, in.NumBands())
	for i := in.NumBands() - 1; i >= 0; i-- {
		index[in.Band(i).Name] = i
	}
	var absent []Band
	picks := make([]int, len(names))
	for i, name := range names {
		k, ok := index[name]
		if !ok {
			if missing == MissingIsError {
				return nil, missingBand(in, name)
			}
			b := in.Band(0)
			b.Name = name
			k = in.NumBands() + len(absent)
			index[name] = k
			absent = append(absent, b)
		}
		picks[i] = k
	}
	base := in
	if len(absent) > 0 {
		fill, err := NewInvalid(in.Size(), absent)
		if err != nil {
			return nil, err
		}
		if allAbove(picks, in.NumBands()) {
			base = fill
			for i := range picks {
				picks[i] -= in.NumBands()
			}
		} else if base, err = NewConcat(in, fill); err != nil {
			return nil, err
		}
	}
	if identityPicks(picks, base.NumBands()) {
		return base, nil
	}
	return NewCrop(base, image.Rect(0, 0, in.Size().W, in.Size().H), picks...)
}

func allAbove(picks []int, n int) bool {
	for _, k := range picks {
		if k < n {
			return false
		}
	}
	return true
}

func missingBand(in Node, name string) error {
	names := make([]string, in.NumBands())
	for i := range names {
		names[i] = in.Band(i).Name
	}
	limit := fmt.Sprintf("is not a band of the input (%s), which has %s", in.Op(), quoteShort(FormatChannels(names)))
	if near := spelling.Nearest(name, names); near != "" {
		limit += fmt.Sprintf("; did you mean %q?", near)
	}
	return &Error{Op: "select", Arg: "channels", Value: quoteShort(name), Limit: limit}
}

// short is s, cut and quoted where it is too long to read.
func short(s string) string {
	if len(s) <= mostShown {
		return s
	}
	return quoteShort(s)
}

// mostShown is how many bytes of a text an error shows.
const mostShown = 80

// quoteShort quotes s, cut where it is too long to read.
func quoteShort(s string) string {
	if len(s) <= mostShown {
		return strconv.Quote(s)
	}
	cut := mostShown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "…"
}
