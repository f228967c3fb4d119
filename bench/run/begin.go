package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// parts names who is behind what passes before main, by the packages that are
// initialised.
var parts = []struct {
	name     string
	packages []string // and what is below them
}{
	{"Glamour with what it brings", []string{
		"charm.land/glamour", "github.com/alecthomas/chroma", "github.com/dlclark/regexp2", "github.com/yuin/goldmark",
		"github.com/microcosm-cc/bluemonday", "github.com/aymerick/douceur", "github.com/gorilla/css", "golang.org/x/net/html",
	}},
	{"jsonschema/v6", []string{"github.com/santhosh-tekuri/jsonschema"}},
}

// everythingElse is what no part accounts for, the runtime's own start too.
const everythingElse = "everything else"

// beforeMain measures what every process pays before main begins: the median
// of the runs for each part, and the size of the program.
func (b bench) beforeMain(ctx context.Context) ([]row, error) {
	const operation, shown = "start, before main", "GODEBUG=inittrace=1 toolcrib version"
	if !strings.Contains(operation, b.only) {
		return nil, nil
	}
	times := map[string][]time.Duration{}
	for range b.runs {
		trace, err := b.initTrace(ctx)
		if err != nil {
			return nil, err
		}
		took, err := partsOf(trace)
		if err != nil {
			return nil, err
		}
		for name, d := range took {
			times[name] = append(times[name], d)
		}
	}
	info, err := os.Stat(b.bin)
	if err != nil {
		return nil, err
	}
	rows := []row{{operation: "the program, stripped", amount: fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), shown: "make build"}}
	for _, p := range parts {
		rows = append(rows, row{operation: operation + ": " + p.name, ours: median(times[p.name]), shown: shown})
	}
	return append(rows, row{operation: operation + ": " + everythingElse, ours: median(times[everythingElse]), shown: shown}), nil
}

// initTrace returns what the runtime says of the packages it initialises.
func (b bench) initTrace(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, b.bin, "version")
	cmd.Env = []string{"HOME=" + b.dir, "GODEBUG=inittrace=1"}
	var trace bytes.Buffer
	cmd.Stderr = &trace
	err := cmd.Run()
	return trace.Bytes(), err
}

// partsOf adds up a trace, whose lines say when each package began, counted
// from the start of the runtime, and how long it took:
//
//	init github.com/yuin/goldmark/util @1.5 ms, 0.31 ms clock, 146136 bytes, 1042 allocs
//
// (https://pkg.go.dev/runtime, GODEBUG, inittrace).
func partsOf(trace []byte) (map[string]time.Duration, error) {
	took := map[string]time.Duration{}
	var known, end time.Duration
	for lines := bufio.NewScanner(bytes.NewReader(trace)); lines.Scan(); {
		var name string
		var at, clock float64
		if n, err := fmt.Sscanf(lines.Text(), "init %s @%f ms, %f ms clock,", &name, &at, &clock); n < 3 {
			if strings.HasPrefix(lines.Text(), "init ") {
				return nil, fmt.Errorf("%q: %w", lines.Text(), err)
			}
			continue
		}
		end = max(end, milliseconds(at+clock))
		for _, p := range parts {
			if slices.ContainsFunc(p.packages, func(above string) bool { return name == above || strings.HasPrefix(name, above+"/") }) {
				took[p.name] += milliseconds(clock)
				known += milliseconds(clock)
			}
		}
	}
	if end == 0 {
		return nil, fmt.Errorf("the runtime said nothing of what it initialises")
	}
	took[everythingElse] = end - known
	return took, nil
}

func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
