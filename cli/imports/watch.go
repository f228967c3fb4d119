// This file implements the watch command, which repeats imports.

package imports

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/files"
	"toolcrib/cli/process"
	"toolcrib/gateway/upstream"
	"toolcrib/registry"
)

type watchFlags struct {
	Import
	every time.Duration
	once  bool
}

// shortestWatch is the minimum polling interval.
const shortestWatch = time.Second

func newWatch(a *command.App) *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:  "watch [SERVER…] | --files [FOLDER]",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			if f.every < shortestWatch {
				return process.Usagef("--every must be at least %s (got %s)", shortestWatch, f.every)
			}
			if f.files {
				switch {
				case f.from.Given() || f.Server != "" || f.layer != "":
					return process.Usagef("--files cannot be combined with --server, --mcp, --mcp-url, or --layer; use --project to set the project of a folder")
				case len(names) > 1:
					return process.Usagef("--files accepts at most one folder; got %d arguments", len(names))
				}
				w := files.Import{Set: f.set}
				if f.once {
					return w.Run(ctx, a, names)
				}
				a.RestoreGC()
				return w.Watch(ctx, a, names, f.every)
			}
			places, err := f.places(a, names)
			if err != nil {
				return err
			}
			b, err := a.OpenSession(ctx)
			if err != nil {
				return err
			}
			if f.once {
				return f.pollOnce(ctx, a, places)
			}
			for _, p := range places {
				a.Note("watching %s, every %s; %s proposes changes, which wait for the user", p.Shown, f.every, b.Actor)
			}
			a.RestoreGC()
			ctx, stop := context.WithCancel(ctx)
			results := make(chan command.LiveList)
			var watchers sync.WaitGroup
			for _, p := range places {
				watchers.Go(func() {
					upstream.Watch(ctx, p.Upstream(a), f.every, func(data []byte, err error) {
						select {
						case results <- command.LiveList{From: p, Data: data, Err: err}:
						case <-ctx.Done():
						}
					})
				})
			}
			defer watchers.Wait() // stop all servers before returning
			defer stop()
			seen := map[string]string{}
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case s := <-results:
					if err := f.handlePoll(ctx, a, s, seen); err != nil {
						return err
					}
				}
			}
		},
	}
	set := cmd.Flags()
	set.DurationVar(&f.every, "every", 15*time.Minute, "check at least every `TIME`")
	set.BoolVar(&f.once, "once", false, "check once and exit")
	set.BoolVar(&f.files, "files", false, "watch skills and instruction files")
	set.StringVar(&f.Server, "server", "", "with --mcp or --mcp-url: the `NAME` of the server")
	set.StringVar(&f.layer, "layer", "", "propose new tools in `LAYER`: global, user or project/NAME")
	f.from.Register(set)
	return cmd
}

// pollOnce polls all servers once. If the poll of a server fails, pollOnce continues with the other servers, and
// returns an error at the end.
func (f watchFlags) pollOnce(ctx context.Context, a *command.App, places []command.LiveServer) error {
	var errs []error
	var found []Result
	for _, p := range places {
		data, err := p.Ask(ctx, a)
		if err == nil {
			var taken Result
			taken, err = f.propose(ctx, a, command.LiveList{From: p, Data: data})
			found = append(found, taken)
		}
		errs = append(errs, err)
	}
	err := errors.Join(errs...)
	for _, taken := range found {
		if err == nil {
			if err := printResult(a, taken); err != nil {
				return err
			}
			continue
		}
		for _, p := range slices.Concat(taken.Made, taken.withdrawn) {
			a.Note("%s", document.Moved(p))
		}
	}
	return err
}

// places returns the servers to watch.
func (f watchFlags) places(a *command.App, names []string) ([]command.LiveServer, error) {
	if f.from.Given() {
		switch {
		case len(names) > 0:
			return nil, process.Usagef("--mcp and --mcp-url select the only server to watch; remove the argument %s", names[0])
		case f.Server == "":
			return nil, process.Usagef("name the server with --server")
		}
		p, err := f.from.LiveServer(a, f.Server)
		return []command.LiveServer{p}, err
	}
	c, err := a.Settings()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(c.Servers))
	}
	if len(names) == 0 {
		return nil, process.Usagef("no servers are configured; select a server with --mcp or --mcp-url")
	}
	var places []command.LiveServer
	for _, name := range names {
		p, err := f.from.LiveServer(a, name)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	return places, nil
}

// handlePoll proposes the changes in s, the result of a poll. If the poll failed, handlePoll prints the error, unless
// the previous poll failed with the same error, and returns nil, because the next poll may succeed. states maps each
// server to the hash of its last list or to its last error.
func (f watchFlags) handlePoll(ctx context.Context, a *command.App, s command.LiveList, states map[string]string) error {
	hash, name := registry.HashBytes(s.Data), s.From.Name
	if s.Err == nil && states[name] == hash {
		return nil
	}
	var result Result
	if s.Err == nil {
		result, s.Err = f.propose(ctx, a, s)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.Err == nil:
		states[name] = hash
		return printResult(a, result)
	case states[name] != s.Err.Error():
		states[name] = s.Err.Error()
		command.Report(a.Env, a.Form.JSON, s.Err)
		command.NoteStderr(a, s.Err)
	}
	return nil
}

// propose proposes the changes in s, the result of a poll.
func (f watchFlags) propose(ctx context.Context, a *command.App, s command.LiveList) (Result, error) {
	f.Server = s.From.Name
	return f.Run(ctx, a, s.From.Shown, s.Data, &s.From)
}

// printResult prints the result of a poll. It prints nothing if the poll changed no proposals.
func printResult(a *command.App, t Result) error {
	if len(t.Made)+len(t.withdrawn) == 0 {
		a.Tell("%s: no changes to propose.", t.Origin.Label)
		return nil
	}
	return a.Print(t.Document(a), t.lines)
}
