package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBenchmarksAreThere reads the tests of each folder for the benchmarks that
// the table names: one that was renamed would be missed after an hour only.
func TestBenchmarksAreThere(t *testing.T) {
	for _, i := range insides() {
		top, _, _ := strings.Cut(i.benchmark, "/")
		files, err := filepath.Glob(filepath.Join("..", "..", i.folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+top+"(")
		}) {
			t.Errorf("%s has no %s", i.folder, top)
		}
	}
}

func TestPatternNamesWhatIsMeasured(t *testing.T) {
	list := []inside{
		{folder: "store", benchmark: "BenchmarkQueue/100/Show"},
		{folder: "store", benchmark: "BenchmarkQueue/10000/Show"},
		{folder: "store", benchmark: "BenchmarkQueue/100/Approve"},
		{folder: "store", benchmark: "BenchmarkVerify"},
		{folder: "tui", benchmark: "BenchmarkQueue/10"},
	}
	want := "^(BenchmarkQueue)$/^(100|10000)$/^(Show|Approve)$"
	if got := pattern(list, "store", "BenchmarkQueue"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMetrics(t *testing.T) {
	got := metrics([]byte(`goos: linux
BenchmarkQueue/100/Show-2         	    1000	     151234 ns/op	   12 B/op
BenchmarkQueue/100/Show-2         	    1000	     161234 ns/op
BenchmarkExecute/plain-2	500	90000 ns/op	  71.5 µs/median
BenchmarkBroken-2
PASS
`))
	if v := got["BenchmarkQueue/100/Show ns/op"]; !slices.Equal(v, []float64{151234, 161234}) {
		t.Errorf("got %v", v)
	}
	if v := got["BenchmarkExecute/plain µs/median"]; !slices.Equal(v, []float64{71.5}) {
		t.Errorf("got %v", v)
	}
}

func TestPartsOfWhatPassesBeforeMain(t *testing.T) {
	took, err := partsOf([]byte(`init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
init github.com/alecthomas/chroma/v2/styles @1.0 ms, 2.0 ms clock, 1606880 bytes, 34058 allocs
init github.com/santhosh-tekuri/jsonschema/v6 @3.5 ms, 1.5 ms clock, 1606880 bytes, 34058 allocs
init github.com/yuin/goldmarkings @5.0 ms, 0.25 ms clock, 16 bytes, 1 allocs
init charm.land/glamour/v2 @5.25 ms, 0.75 ms clock, 16 bytes, 1 allocs
what the program says
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]time.Duration{
		parts[0].name: 2750 * time.Microsecond, parts[1].name: 1500 * time.Microsecond, everythingElse: 1750 * time.Microsecond,
	} {
		if took[name] != want {
			t.Errorf("%s: got %v, want %v", name, took[name], want)
		}
	}
	for _, trace := range []string{"", "init x @y ms, z ms clock\n"} {
		if took, err := partsOf([]byte(trace)); err == nil {
			t.Errorf("%q gave %v and no error", trace, took)
		}
	}
}

func TestMarksAreInTheDocument(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "performance.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, marks := range [][2]string{{begin, end}, {beginInside, endInside}} {
		if err := replace(copied, marks[0], marks[1], "a table\n"); err != nil {
			t.Error(err)
		}
	}
	text, err = os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(regexp.MustCompile("a table").FindAll(text, -1)); got != 2 {
		t.Errorf("%d tables were written, not 2", got)
	}
}
