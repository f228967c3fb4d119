package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// bench holds the state that the measurements share.
type bench struct {
	options

	dir string
	bin string
}

// command is a process to be timed.
type command struct {
	argv  []string
	dir   string
	env   []string // beside PATH
	stdin string
	exit  int // the status that means success
}

// contender is somebody who does an operation. The nth command of a run is
// asked for before the clock starts.
type contender struct {
	name    string
	shown   string // the command, as the table shows it
	command func(n int) (command, error)
}

// operation is something that people do, at a size. The first contender is
// toolcrib.
type operation struct {
	name, size string
	runs       int // 0 for the usual number
	contenders []contender
}

// row is a line of the table.
type row struct {
	operation, size string
	ours            time.Duration
	peer, shown     string
	theirs          time.Duration // 0 when there is no peer
}

// measure lets the contenders of an operation take turns and returns a row for
// each peer, or one without.
func (b bench) measure(ctx context.Context, op operation) ([]row, error) {
	runs := op.runs
	if runs == 0 {
		runs = b.runs
	}
	times := make([][]time.Duration, len(op.contenders))
	for n := -1; n < runs; n++ { // the first is to warm up
		for i, c := range op.contenders {
			do, err := c.command(n + 1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			took, err := do.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if n >= 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	first := row{operation: op.name, size: op.size, ours: median(times[0]), shown: op.contenders[0].shown}
	if len(op.contenders) == 1 {
		return []row{first}, nil
	}
	var rows []row
	for i, c := range op.contenders[1:] {
		r := first
		r.peer, r.theirs, r.shown = c.name, median(times[i+1]), op.contenders[0].shown+" / "+c.shown
		rows = append(rows, r)
	}
	return rows, nil
}

// run runs the command once and returns how long it took.
func (c command) run(ctx context.Context) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Stdin = c.dir, strings.NewReader(c.stdin)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}, c.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.exit {
		return 0, fmt.Errorf("%s: %w\n%.2000s", strings.Join(c.argv, " "), err, out.String())
	}
	return took, nil
}

func median(times []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(times))
	return s[len(s)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
