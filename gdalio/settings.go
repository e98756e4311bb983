package gdalio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/eval"
)

// WithThreads asks for a number of threads of GDAL's own, GDAL_NUM_THREADS,
// with which some formats decode and compress, while the session is open. GDAL
// looks at it when it opens a raster.
func WithThreads(n int) eval.Option { return eval.WithSetting(threadSetting{}, int64(n)) }

// WithCache asks for a size of GDAL's block cache, in bytes, while the session
// is open. A session has a cache of decoded blocks itself, so that GDAL's may
// be small.
func WithCache(bytes int64) eval.Option { return eval.WithSetting(cacheSetting{}, bytes) }

var errNotHere = errors.New("this build has no GDAL (built with CGO_ENABLED=0)")

const threadOption = "GDAL_NUM_THREADS"

// threadSetting is GDAL_NUM_THREADS as a process-wide setting.
type threadSetting struct{}

// Name is GDAL's name of the option.
func (threadSetting) Name() string { return threadOption }

// Capture notes the value, unless it comes from the environment, which is in
// force again once the option is unset.
func (threadSetting) Capture() (func() error, error) {
	if Version() == "" {
		return nil, errNotHere
	}
	was, set := ConfigOption(threadOption)
	if env, ok := os.LookupEnv(threadOption); !set || ok && env == was {
		return func() error { UnsetConfigOption(threadOption); return nil }, nil
	}
	return func() error { SetConfigOption(threadOption, was); return nil }, nil
}

// Apply sets the option.
func (threadSetting) Apply(n int64) error {
	if n < 1 {
		return errors.New("at least 1 is needed")
	}
	SetConfigOption(threadOption, strconv.FormatInt(n, 10))
	return nil
}

// Format is the number.
func (threadSetting) Format(n int64) string { return strconv.FormatInt(n, 10) }

// cacheSetting is GDAL's block cache as a process-wide setting.
type cacheSetting struct{}

// Name is GDAL's name of the option.
func (cacheSetting) Name() string { return "GDAL_CACHEMAX" }

// Capture notes the size in bytes.
func (cacheSetting) Capture() (func() error, error) {
	if Version() == "" {
		return nil, errNotHere
	}
	was := CacheMax()
	return func() error { SetCacheMax(was); return nil }, nil
}

// Apply sets the size.
func (cacheSetting) Apply(bytes int64) error {
	if bytes < 0 {
		return errors.New("a size is not negative")
	}
	SetCacheMax(bytes)
	return nil
}

// Format is the size in MiB, or in bytes where it is no whole number of them.
func (cacheSetting) Format(bytes int64) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Feature is a part of GDAL that not every release has.
type Feature struct {
	Name  string
	Since string // the first release that has it

	compiled bool // only where the build was made for such a release
}

// The features that depend on the release.
var (
	Int8   = Feature{"int8 samples", "3.7", true}
	COG    = Feature{"writing COG", "3.1", false}
	Zarr   = Feature{"Zarr", "3.4", false}
	JPEGXL = Feature{"JPEG XL in GeoTIFF", "3.3", false}
)

// Oldest is the oldest release of GDAL that this package works with.
const Oldest = "3.0"

// WithFeatures says which features are needed, so that a session over the
// Opener is refused where the GDAL at run time is too old for one of them.
func WithFeatures(f ...Feature) Option {
	return func(o *Opener) { o.features = append(o.features, f...) }
}

// Check compares the GDAL at run time with what the Opener needs: the release
// that this build was made for, the features of WithFeatures, the formats of
// WithDrivers. It is asked once, by eval.Open.
func (o *Opener) Check(context.Context) ([]string, error) {
	var formats []string
	for _, d := range Drivers() {
		formats = append(formats, strings.ToLower(d.Name))
	}
	return o.compare(Version(), builtFor, formats)
}

func (o *Opener) compare(version, built string, formats []string) (notes []string, err error) {
	if version == "" {
		return nil, errNotHere
	}
	if older(version, Oldest) {
		return nil, fmt.Errorf("GDAL %s is too old: %s or later is needed", version, Oldest)
	}
	if older(version, built) {
		return nil, fmt.Errorf("GDAL %s is older than the %s that this program was built for: build it again, or install the newer library", version, built)
	}
	for _, f := range o.features {
		if older(version, f.Since) {
			return nil, fmt.Errorf("GDAL %s has no %s: %s or later is needed", version, f.Name, f.Since)
		}
		if f.compiled && older(built, f.Since) {
			return nil, fmt.Errorf("this program was built for GDAL %s, which has no %s: build it with %s or later", built, f.Name, f.Since)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(o.drivers), func(d string) bool { return slices.Contains(formats, strings.ToLower(d)) })
	switch {
	case len(missing) == 0:
	case len(missing) == len(o.drivers):
		return nil, fmt.Errorf("GDAL %s has none of the formats %s", version, strings.Join(missing, ", "))
	default:
		notes = append(notes, fmt.Sprintf("GDAL %s does not have the formats %s", version, strings.Join(missing, ", ")))
	}
	return notes, nil
}

// older compares releases by their first two numbers, as those tell what a
// library has. What is no release is not older.
func older(a, b string) bool {
	x, ok := release(a)
	y, also := release(b)
	return ok && also && slices.Compare(x[:], y[:]) < 0
}

func release(s string) (r [2]int, ok bool) {
	parts := strings.SplitN(s, ".", 3)
	for i := range r {
		if i >= len(parts) {
			return r, false
		}
		digits := strings.TrimRightFunc(parts[i], func(c rune) bool { return c < '0' || c > '9' })
		n, err := strconv.Atoi(digits)
		if err != nil {
			return r, false
		}
		r[i] = n
	}
	return r, true
}

// Same reports whether another opener opens the same rasters in the same way,
// so that sessions over either may be joined.
func (o *Opener) Same(other eval.Opener) bool {
	p, ok := other.(*Opener)
	return ok && (o.drivers == nil) == (p.drivers == nil) && slices.Equal(o.drivers, p.drivers) &&
		slices.Equal(o.options, p.options) && o.handles == p.handles && o.confined == p.confined && slices.Equal(o.features, p.features)
}

var (
	_ eval.Checker  = (*Opener)(nil)
	_ eval.Sameness = (*Opener)(nil)
)
