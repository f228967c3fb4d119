// Command run times toolcrib as whole processes, on databases of growing size,
// beside git and sqlite3 doing similar work in the same run, and then runs the Go
// benchmarks of operations inside a process.
//
//	go run ./tools/bench/run [-runs 15] [-sizes 100,10000,100000] [-write docs/performance.md]
//
// Every figure is the median of the runs, which take turns, so that other work
// on the machine slows all alike.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"toolcrib/tools/bench/program"
)

func main() {
	var o options
	flag.IntVar(&o.runs, "runs", 15, "how often each command is timed")
	sizes := flag.String("sizes", "100,10000,100000", "how many tools and proposals the databases hold")
	flag.StringVar(&o.only, "only", "", "only operations whose name contains `TEXT`, and no benchmarks")
	flag.StringVar(&o.write, "write", "", "put the tables into this `FILE`, between its marks")
	flag.Parse()
	for field := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 100 {
			fmt.Fprintf(os.Stderr, "run: -sizes: %q is no number from 100 on\n", field)
			os.Exit(2)
		}
		o.sizes = append(o.sizes, n)
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

type options struct {
	runs  int
	sizes []int
	only  string
	write string
}

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "toolcrib-run-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := bench{dir: dir, options: o}
	if b.bin, err = program.Build(ctx, dir); err != nil {
		return err
	}
	info, err := os.Stat(b.bin)
	if err != nil {
		return err
	}
	operations, err := b.operations(ctx)
	if err != nil {
		return err
	}
	var rows []row
	for _, op := range operations {
		if !strings.Contains(op.name, o.only) {
			continue
		}
		measured, err := b.measure(ctx, op)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", op.name, op.size, err)
		}
		rows = append(rows, measured...)
	}
	whole := render(rows, info.Size())
	fmt.Print(whole)
	if o.only != "" { // other rows keep their figures
		return nil
	}
	inside, err := benchmarks(ctx)
	if err != nil {
		return err
	}
	fmt.Print("\n", inside)
	if o.write == "" {
		return nil
	}
	return errors.Join(replace(o.write, begin, end, whole), replace(o.write, beginInside, endInside, inside))
}
