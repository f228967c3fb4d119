package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/gateway/upstream"
	"toolcrib/registry"
)

type watchFlags struct {
	importFlags
	every time.Duration
	once  bool
}

// shortestWatch sets how often a server may be looked at without being asked to.
const shortestWatch = time.Second

func newWatch(a *app) *cobra.Command {
	var f watchFlags
	f.watched = true
	cmd := &cobra.Command{
		Use:   "watch [SERVER…]",
		Short: "Watch MCP servers and propose changes",
		Long: `Check MCP servers repeatedly and propose new, changed, and vanished tools: the
servers named, all configured ones by default, or the one of --mcp or --mcp-url.

A server is checked when it reports a change, and at least every --every. What
is already proposed or was rejected is not proposed again, so a watch can be
restarted at any time. It ends when interrupted (exit status 130), or with
--once after one check. --json prints one document per line for each check that
finds something.

A watch only proposes, as the user of the account or as --as names. As
agent:NAME, the limits for agents apply, and with four_eyes the user can still
approve the proposals.`,
		Example: `  toolcrib watch
  toolcrib watch tracker --every 1h
  toolcrib watch --once --json
  toolcrib watch --as agent:watch
  toolcrib watch --mcp 'npx -y @modelcontextprotocol/server-memory' --server memory`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runWatch(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.DurationVar(&f.every, "every", 15*time.Minute, "check at least every `TIME`")
	set.BoolVar(&f.once, "once", false, "check once and exit")
	set.StringVar(&f.server, "server", "", "the `NAME` of the server that --mcp or --mcp-url names")
	set.StringVar(&f.layer, "layer", "", "propose new tools in `LAYER`: global, user or project/NAME")
	f.from.register(set)
	return cmd
}

// pollResult is the outcome of one poll of a server.
type pollResult struct {
	from place
	data []byte
	err  error
}

func runWatch(ctx context.Context, a *app, names []string, f watchFlags) error {
	places, err := f.places(a, names)
	if err != nil {
		return err
	}
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	if f.once {
		return f.lookOnce(ctx, a, places)
	}
	for _, p := range places {
		a.note("watching %s, every %s; what changes is proposed by %s and waits for the user", p.shown, f.every, b.actor)
	}
	a.restoreGC()
	ctx, stop := context.WithCancel(ctx)
	results := make(chan pollResult)
	var watchers sync.WaitGroup
	for _, p := range places {
		watchers.Go(func() {
			upstream.Watch(ctx, p.upstream(a.env), f.every, func(data []byte, err error) {
				select {
				case results <- pollResult{p, data, err}:
				case <-ctx.Done():
				}
			})
		})
	}
	defer watchers.Wait() // no server outlives the watch
	defer stop()
	seen := map[string]string{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-results:
			if err := f.see(ctx, a, s, seen); err != nil {
				return err
			}
		}
	}
}

// lookOnce polls every server and fails when one of them did; it still reports the
// results of the others.
func (f watchFlags) lookOnce(ctx context.Context, a *app, places []place) error {
	var errs []error
	var found []intaken
	for _, p := range places {
		data, err := p.ask(ctx, a)
		if err == nil {
			var taken intaken
			taken, err = f.propose(ctx, a, pollResult{from: p, data: data})
			found = append(found, taken)
		}
		errs = append(errs, err)
	}
	err := errors.Join(errs...)
	for _, taken := range found {
		if err != nil {
			a.noteTaken(taken)
			continue
		}
		if err := a.printTaken(taken); err != nil {
			return err
		}
	}
	return err
}

// places returns the servers to watch.
func (f watchFlags) places(a *app, names []string) ([]place, error) {
	if f.every < shortestWatch {
		return nil, usagef("--every is %s; write %s or more", f.every, shortestWatch)
	}
	if f.from.given() {
		switch {
		case len(names) > 0:
			return nil, usagef("--mcp and --mcp-url name one server; %s would be another", names[0])
		case f.server == "":
			return nil, usagef("name the server with --server")
		}
		p, err := f.from.place(a, f.server)
		return []place{p}, err
	}
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(c.Servers))
	}
	if len(names) == 0 {
		return nil, usagef("the configuration has no servers; name one with --mcp or --mcp-url")
	}
	var places []place
	for _, name := range names {
		p, err := f.from.place(a, name)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

// see proposes the changes of a poll. It reports an error once, and the watch goes
// on: the next poll may succeed.
func (f watchFlags) see(ctx context.Context, a *app, s pollResult, seen map[string]string) error {
	hash, name := registry.HashBytes(s.data), s.from.name
	if s.err == nil && seen[name] == hash {
		return nil
	}
	var taken intaken
	if s.err == nil {
		taken, s.err = f.propose(ctx, a, s)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.err == nil:
		seen[name] = hash
		return a.printTaken(taken)
	case seen[name] != s.err.Error():
		seen[name] = s.err.Error()
		report(a.env, a.flags.json, s.err)
		a.noteStderr(s.err)
	}
	return nil
}

// propose proposes what a look shows.
func (f watchFlags) propose(ctx context.Context, a *app, s pollResult) (intaken, error) {
	f.server = s.from.name
	return f.take(ctx, a, s.from.shown, s.data, &s.from)
}

// printTaken prints a poll that found changes.
func (a *app) printTaken(t intaken) error {
	if len(t.made) == 0 {
		return nil
	}
	return a.print(t.document(a), t.lines)
}

// noteTaken is printTaken beside an error, for people.
func (a *app) noteTaken(t intaken) {
	for _, p := range t.made {
		a.note("%s", moved(p))
	}
}
