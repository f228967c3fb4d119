// Command bench measures toolcrib as a whole: the times of its processes and screens. It also generates
// databases for measurements and the pictures of the documentation. Run the command in the root of the
// repository. It builds the program of the repository in a temporary folder:
//
//	go run ./tools/bench NAME [-help] [flags]
//
// It exits with 1 if a measurement fails or does not meet its target.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// bench is something that is measured or made.
type bench struct {
	name, what string
	// prepare declares the flags and returns the function to run after they are parsed.
	prepare func(flags *flag.FlagSet) func(ctx context.Context, l lab) error
}

func benches() []bench {
	return []bench{
		{"run", "commands on databases of growing size, beside git and sqlite3, and the Go benchmarks", prepareRun},
		{"frame", "the first frame of the workbench, its memory, and its processor time when idle", prepareFrame},
		{"serve", "configurations over HTTP: latency, throughput, and how soon an approval arrives", prepareServe},
		{"greedy", "configurations over HTTP while another token sends the most expensive requests", prepareGreedy},
		{"follow", "machines that follow a server: its processor time, how soon they have an approval, and the bytes they get", prepareFollow},
		{"ssh", "many workbenches over SSH that browse at once: latency and memory", prepareSSH},
		{"unauthenticated", "MCP requests while clients without a token hold connections", prepareUnauthenticated},
		{"team", "eight processes on one PostgreSQL server: throughput, and that no limit is miscounted", prepareTeam},
		{"seed", "write a generated database to -file", prepareSeed},
		{"pictures", "write the pictures and the recorded tour of the docs to -folder; needs tmux", preparePictures},
	}
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) > 0 {
		for _, b := range benches() {
			if b.name == args[0] {
				return b.run(ctx, args[1:])
			}
		}
	}
	for _, b := range benches() {
		fmt.Fprintf(os.Stderr, "%-16s %s\n", b.name, b.what)
	}
	return errors.New("name one of these")
}

func (b bench) run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet(b.name, flag.ContinueOnError)
	var l lab
	flags.StringVar(&l.bin, "program", "", "measure the toolcrib `FILE` instead of that of the checkout")
	do := b.prepare(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes flags only; got %q", b.name, flags.Args())
	}
	if l.dir, err = os.MkdirTemp("", "toolcrib-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(l.dir)) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the servers
	return do(ctx, l)
}

func prepareSeed(flags *flag.FlagSet) func(context.Context, lab) error {
	var c storetest.Dataset
	flags.IntVar(&c.Tools, "tools", 10_000, "live tools, each from an approved proposal")
	flags.IntVar(&c.Waiting, "waiting", 1_000, "proposals that wait for a decision")
	flags.IntVar(&c.Versions, "versions", 0, "further versions of the tools")
	calls := flags.Int("calls", 0, "calls of a tool, each with its outcome")
	file := flags.String("file", "", "the `FILE` to write")
	return func(ctx context.Context, _ lab) error {
		if *file == "" {
			return errors.New("name the -file to write")
		}
		return errors.Join(fill(ctx, *file, c), addCalls(ctx, *file, *calls))
	}
}

// addCalls adds calls to the log of a database, many in one transaction.
func addCalls(ctx context.Context, file string, n int) (err error) {
	if n == 0 {
		return nil
	}
	db, err := store.Open(ctx, file, store.Options{Now: time.Now, NewID: newID})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var tool registry.Live
	err = db.View(ctx, func(r review.Reader) error {
		tool, err = r.Live(ctx, registry.Subject{Kind: registry.KindTool, Layer: "global", ID: "get_tasks"})
		return err
	})
	if err != nil {
		return err
	}
	at := time.Now()
	caller := gateway.Caller{Actor: proposals.Actor{Kind: proposals.Agent, Name: "desk"}, Agent: "assistant", User: "mara"}
	for nth := 0; n > 0; {
		err := db.Calls().Log(ctx, func(tx gateway.LedgerTx) error {
			for range min(n, 10_000) {
				at, nth = at.Add(time.Millisecond), nth+1
				id := newID()
				call := gateway.Call{ID: id, At: at, Caller: caller, Name: "get_tasks", Tool: tool.Subject, Version: tool.Version, ContentHash: tool.ContentHash, Nth: nth, ArgsHash: registry.HashBytes([]byte(id))}
				outcome := gateway.Outcome{At: at, Duration: time.Millisecond, OutputHash: call.ArgsHash, OutputBytes: 120}
				if err := errors.Join(tx.AddCall(ctx, call), tx.AddOutcome(ctx, id, outcome)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		n -= 10_000
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func newID() string { return uuid.Must(uuid.NewV7()).String() }
