// Command frame measures what a person waits for: from the start of the
// process to the first frame of the workbench on a pseudo-terminal, with a few
// proposals and with very many, of which one in twenty waits and the others were
// approved; and what the workbench takes while nobody touches it: memory and
// processor time.
//
//	go run ./tools/bench/frame [-many 100000] [-runs 30] [-idle 30s]
//
// It builds toolcrib, fills two databases in a folder of its own and removes
// it. The figures are printed as a table; it ends with status 1 when a bar is
// missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolcrib/store/storetest"
	"toolcrib/tools/bench/program"
)

// The bars.
const (
	maxFirst  = 30 * time.Millisecond
	maxRatio  = 1.3
	maxMemory = 100 << 20 // bytes
	maxIdle   = 0.02      // of one processor
)

func main() {
	many := flag.Int("many", 100_000, "how many proposals the large database has")
	runs := flag.Int("runs", 30, "how often the workbench is started on each")
	idle := flag.Duration("idle", 30*time.Second, "how long it is left alone")
	flag.Parse()
	if err := measure(context.Background(), *many, *runs, *idle); err != nil {
		fmt.Fprintln(os.Stderr, "frame:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, many, runs int, idle time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "toolcrib-frame-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	bin, err := program.Build(ctx, dir)
	if err != nil {
		return err
	}
	few, large := bench{bin, filepath.Join(dir, "few.db")}, bench{bin, filepath.Join(dir, "many.db")}
	for db, n := range map[string]int{few.db: 10, large.db: many} {
		waiting := (n + 19) / 20
		if err := program.Fill(ctx, db, storetest.Crowd{Tools: n - waiting, Waiting: waiting}); err != nil {
			return err
		}
	}

	// In turns, so that what else the machine does falls on both.
	var quick, long []time.Duration
	for range runs {
		for b, times := range map[bench]*[]time.Duration{few: &quick, large: &long} {
			took, err := b.firstFrame(ctx)
			if err != nil {
				return err
			}
			*times = append(*times, took)
		}
	}
	slices.Sort(quick)
	slices.Sort(long)
	fmt.Printf("first frame          least    median   of %d runs\n", runs)
	fmt.Printf("  with %7d    %7.1f   %7.1f   ms\n", 10, ms(quick[0]), ms(quick[runs/2]))
	fmt.Printf("  with %7d    %7.1f   %7.1f   ms\n", many, ms(long[0]), ms(long[runs/2]))
	ratio := ms(long[runs/2]) / ms(quick[runs/2])
	fmt.Printf("  ratio                     %7.2f   at most %.1f\n", ratio, maxRatio)

	rest, err := large.atRest(ctx, idle)
	if err != nil {
		return err
	}
	fmt.Printf("at rest with %d\n  memory, most     %7.1f MB  at most %d\n  processor        %7.2f %%   at most %.0f, over %v\n",
		many, float64(rest.memory)/(1<<20), maxMemory>>20, 100*rest.processor, 100*maxIdle, idle)

	if long[runs/2] > maxFirst || ratio > maxRatio || rest.memory > maxMemory || rest.processor > maxIdle {
		return errors.New("a bar is missed")
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
