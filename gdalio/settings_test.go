package gdalio_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

const threads = "GDAL_NUM_THREADS"

func session(t *testing.T, opts ...eval.Option) *eval.Session {
	t.Helper()
	s, err := eval.Open(bg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// inForce compares GDAL's settings.
func inForce(t *testing.T, when, option string, cache int64) {
	t.Helper()
	if v, _ := gdalio.ConfigOption(threads); v != option {
		t.Errorf("%s: %s is %q, want %q", when, threads, v, option)
	}
	if v := gdalio.CacheMax(); v != cache {
		t.Errorf("%s: the cache is %d, want %d", when, v, cache)
	}
}

func TestSettings(t *testing.T) {
	needGDAL(t)
	cache := gdalio.CacheMax()
	for _, before := range []string{"", "ALL_CPUS"} {
		if before != "" {
			gdalio.SetConfigOption(threads, before)
			defer gdalio.UnsetConfigOption(threads)
		}
		a := session(t, gdalio.WithThreads(3), gdalio.WithCache(32<<20))
		inForce(t, "one session", "3", 32<<20)
		b := session(t, gdalio.WithThreads(2))
		inForce(t, "two sessions", "2", 32<<20)
		c := session(t, gdalio.WithCache(16<<20), gdalio.WithThreads(4))
		inForce(t, "three sessions", "2", 16<<20)
		if n := a.Notes(); len(n) != 2 || n[0].Text != "3 asked for, 2 in force: another open session is stricter" ||
			!strings.HasPrefix(n[1].Text, "32 MiB asked for, 16 MiB in force") {
			t.Errorf("notes %v", n)
		}
		b.Close()
		inForce(t, "the second closed", "3", 16<<20)
		j, err := eval.Join(a, c)
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		c.Close()
		inForce(t, "the joined session left", "3", 16<<20)
		j.Close()
		inForce(t, "all closed", before, cache)
		if _, set := gdalio.ConfigOption(threads); set != (before != "") {
			t.Errorf("%s is set: %v", threads, set)
		}
	}
}

// TestSettingsOfTheEnvironment: what the environment says is in force again.
func TestSettingsOfTheEnvironment(t *testing.T) {
	needGDAL(t)
	t.Setenv(threads, "5")
	s := session(t, gdalio.WithThreads(2))
	inForce(t, "open", "2", gdalio.CacheMax())
	s.Close()
	inForce(t, "closed", "5", gdalio.CacheMax())
	t.Setenv(threads, "6")
	inForce(t, "the environment changed", "6", gdalio.CacheMax())
}

func TestSettingsRefused(t *testing.T) {
	for _, o := range []eval.Option{gdalio.WithThreads(0), gdalio.WithCache(-1)} {
		cache := gdalio.CacheMax()
		if s, err := eval.Open(bg, o); err == nil {
			s.Close()
			t.Error("opened with nonsense, or without GDAL")
		}
		inForce(t, "refused", "", cache)
	}
}

func TestCheck(t *testing.T) {
	needGDAL(t)
	for _, c := range []struct {
		opener     *gdalio.Opener
		note, fail string
	}{
		{gdalio.New(), "", ""},
		{gdalio.New(gdalio.WithFeatures(gdalio.COG)), "", ""},
		{gdalio.New(gdalio.WithFeatures(gdalio.Feature{Name: "time travel", Since: "99.1"})), "", "has no time travel: 99.1 or later is needed"},
		{gdalio.New(gdalio.WithDrivers("gtiff", "Papyrus")), "does not have the formats Papyrus", ""},
		{gdalio.New(gdalio.WithDrivers("Papyrus")), "", "has none of the formats Papyrus"},
	} {
		s, err := eval.Open(context.Background(), eval.WithOpener(eval.Restrict(c.opener, eval.Policy{})))
		switch {
		case c.fail != "":
			if err == nil || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("got %v, want %s", err, c.fail)
			}
			continue
		case err != nil:
			t.Error(err)
			continue
		}
		if n := s.Notes(); (c.note != "") != (len(n) == 1) || c.note != "" && !strings.Contains(n[0].Text, c.note) {
			t.Errorf("notes %v, want %q", n, c.note)
		}
		s.Close()
	}
}

func TestSame(t *testing.T) {
	a := gdalio.New(gdalio.WithDrivers("GTiff"))
	if !a.Same(gdalio.New(gdalio.WithDrivers("GTiff"))) || a.Same(gdalio.New()) || a.Same(gdalio.New(gdalio.WithDrivers("GTiff"), gdalio.WithOpenOptions("A=B"))) {
		t.Error("openers are compared wrongly")
	}
}
