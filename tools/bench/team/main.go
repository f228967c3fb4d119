// Command team lets eight processes at a time use one PostgreSQL server, which it
// starts: two propose, two approve, two execute, one previews and lists, one is an
// MCP server. Then all eight call past a limit of the day, past the number of calls
// that may wait, and within a cooldown. It prints how many acts were done, how long
// they took, and how soon an approval was seen by another process, and fails when a
// version was lost or written twice, or when a limit, a cooldown, or a waiting call
// was counted wrongly.
//
//	go build -o /tmp/toolcrib . && go run ./tools/bench/team -for 60s /tmp/toolcrib
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"toolcrib/tools/bench/program"

	"golang.org/x/sync/errgroup"
)

func main() {
	duration := flag.Duration("for", time.Minute, "how long")
	flag.Parse()
	if err := run(context.Background(), flag.Args(), *duration); err != nil {
		fmt.Fprintln(os.Stderr, "team:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, duration time.Duration) (err error) {
	if len(args) != 1 {
		return errors.New("usage: team [-for DURATION] TOOLCRIB")
	}
	t, err := newTeam(ctx, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	watch, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- t.watch(watch) }()
	over := time.Now().Add(duration)
	var drivers errgroup.Group
	for _, drive := range []func(context.Context) error{t.propose, t.propose, t.approve, t.approve, t.execute, t.execute, t.read} {
		drivers.Go(func() error {
			for time.Now().Before(over) {
				if err := drive(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	drivers.Go(func() error { return t.overMCP(ctx, over) })
	if err = drivers.Wait(); err == nil {
		err = errors.Join(t.limits(ctx), t.rest(ctx))
	}
	stop()
	if err = errors.Join(err, <-watched); err != nil {
		return err
	}
	t.report(duration)
	return t.check(ctx)
}

// report prints the throughput and the quantiles of each act.
func (t *team) report(duration time.Duration) {
	fmt.Printf("%-10s %6s %8s\n", "act", "n", "a second")
	for _, act := range slices.Sorted(maps.Keys(t.took)) {
		print(act, t.took[act], duration)
	}
	var seen []time.Duration
	for id, done := range t.approved {
		seen = append(seen, max(0, t.seen[id].Sub(done)))
	}
	print("seen after", seen, duration)
}

func print(act string, took []time.Duration, duration time.Duration) {
	fmt.Printf("%-10s %6d %8.1f  %s\n", act, len(took), float64(len(took))/duration.Seconds(), program.Quantiles(took))
}
