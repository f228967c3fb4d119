// This file implements the guard command, which runs between a client and an MCP server.

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/imports"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/guard"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/store"
)

// startup is a time in which most guards finish listing the tools of the server and comparing them with the approved
// tools.
const startup = 10 * time.Second

type guardFlags struct {
	url, tokenEnv, was string
}

func newGuard(a *command.App) *cobra.Command {
	var f guardFlags
	cmd := &cobra.Command{
		Use: "guard NAME -- COMMAND… | guard NAME --url URL",
		Args: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash() // the number of arguments before "--", or -1 if it is missing
			if dash < 0 {
				dash = len(args)
			}
			switch {
			case dash != 1:
				return process.Usagef(`pass the name of the server, then either "--" and the command of the server, or --url URL; got %s before the command`, output.Counted(dash, "argument"))
			case registry.ServerName(args[0]) == "":
				return process.Usagef("%q is not a valid name for a server: use at least one letter or digit", args[0])
			case f.url == "" && len(args) == 1:
				return process.Usagef(`the command of the server is missing: use -- COMMAND…, or --url URL`)
			case f.url != "" && len(args) > 1:
				return process.Usagef("--url cannot be combined with a command")
			case f.url != "":
				if err := settings.CheckEndpoint(f.url, false); err != nil {
					return process.Usagef("the server %v", err)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), a, args) },
	}
	set := cmd.Flags()
	set.StringVar(&f.url, "url", "", "connect to the server at `URL` (streamable HTTP)")
	set.StringVar(&f.tokenEnv, "token-env", "", "with --url: send the bearer token that the environment variable `NAME` contains")
	set.StringVar(&f.was, "was", "", "the form of the entry before toolcrib wrap (`HOW`); only toolcrib unwrap uses this value")
	return cmd
}

func (f guardFlags) run(ctx context.Context, a *command.App, args []string) error {
	signal.Ignore(syscall.SIGPIPE) // lets the server shut down properly when the client disconnects
	ctx, stop := signal.NotifyContext(ctx, hangupSignals()...)
	defer stop()
	name := registry.ServerName(args[0])
	log := func(text string) {
		fmt.Fprintf(a.Env.Err, "toolcrib guard %s: %s\n", name, strings.TrimRight(visible.Line(text), "\n"))
	}
	db := &guard.Database{Name: name, Start: command.StartOf(args[1:], f.url, a.Env.Dir)}
	following, err := a.Following()
	if err != nil {
		return err
	}
	db.Open = func(ctx context.Context) (guard.Connection, error) { // the user sees errors of db.Open in the client
		caller, err := command.CallerFlags{Where: command.WhereFlags{Local: true}}.Caller(a)
		var g *command.OpenGateway
		if err == nil {
			g, err = a.GatewayWith(ctx, log)
		}
		switch {
		case errors.Is(err, store.ErrNoDatabase):
			return guard.Connection{}, errors.New("no database exists yet; run toolcrib init, and approve the tools in toolcrib")
		case err != nil:
			return guard.Connection{}, fmt.Errorf("cannot read the database: %s", output.Sentence(err))
		}
		caller.Actor = imports.Observer(a.Config)
		stop := a.KeepCalls(ctx, log)
		return guard.Connection{Store: a.DB, Gateway: g.Gateway, Caller: caller, Close: func() error { stop(); return g.Close() }}, nil
	}
	db.Propose = func(ctx context.Context, l guard.Listing) ([]wire.Skipped, error) {
		if l.Problem != "" {
			return nil, imports.RecordProblem(ctx, a, name, l.Problem)
		}
		f := imports.Import{Server: name, Observed: true}
		taken, err := f.Run(ctx, a, name, l.Document(), &command.LiveServer{Name: name, Shown: name, Start: db.Start})
		if n := len(taken.Made); err == nil && n > 0 {
			log(fmt.Sprintf("%s to review for the tools of this server: toolcrib show set:%s", output.Counted(n, "proposal"), taken.Origin.Set))
			if by := imports.Observer(a.Config); a.Config.FourEyes && by.Kind == proposals.User {
				log(fmt.Sprintf("the author of these proposals is %s, the user of this database login, who cannot approve them because four_eyes is set; run the guard with a login of the role toolcrib_server", by))
			}
		}
		return taken.LeftOut(), err
	}
	db.Check = func(ctx context.Context, raw json.RawMessage) error {
		live, err := command.Definitions(ctx, a)
		if err != nil {
			return err
		}
		return imports.Vet(ctx, a, name, live, raw)
	}
	db.Waiting = func(ctx context.Context) (int, error) { return imports.Waiting(ctx, a, name) }
	if following != nil {
		db.Reviewed = following.Reviewed()
		defer following.Poll(ctx, func(err error) { log(output.Sentence(err)) })()
		db.Open = func(ctx context.Context) (guard.Connection, error) { return following.Connection(ctx, a, name, log) }
		propose := db.Propose
		// Report unapproved tools to the server of the followed registry, which proposes them there. If this machine
		// also uses approvals in its local database, propose the tools in the local database, too.
		db.Propose = func(ctx context.Context, l guard.Listing) ([]wire.Skipped, error) {
			if err := following.Report(ctx, name, l); err != nil {
				log(output.Sentence(err))
			}
			own, err := following.Own(ctx, a)
			if err != nil || !own {
				return l.Skipped, err
			}
			if l, err = following.Others(ctx, a, name, l); err != nil {
				return l.Skipped, err
			}
			return propose(ctx, l)
		}
		db.Check = func(ctx context.Context, raw json.RawMessage) error {
			r, err := following.Copy.Server(ctx, name)
			if err != nil {
				return err
			}
			return imports.Vet(ctx, a, name, r.Lives, raw)
		}
		waiting := db.Waiting
		db.Waiting = func(ctx context.Context) (int, error) {
			if own, err := following.Own(ctx, a); err != nil || !own {
				return 0, err
			}
			return waiting(ctx)
		}
	}
	var server guard.Server
	if f.url != "" {
		headers := guard.Headers(os.Environ())
		if token := a.Env.Getenv(f.tokenEnv); f.tokenEnv != "" && token != "" {
			headers.Set("Authorization", "Bearer "+token)
		}
		server = guard.NewEndpoint(f.url, headers)
	} else {
		server = &guard.Command{Args: args[1:], Dir: a.Env.Dir, Stderr: a.Stderr}
	}
	a.RestoreGC()
	in, restore := pollable(a.Keyboard)
	defer restore()
	g := guard.New(guard.Config{
		Backend: db, Name: name, In: in, Out: a.Stdout, Log: log, Gone: closedReader(a.Stdout), Times: a.Env.Guard,
		Notice: a.Config.Notices(), Texts: a.Config.ReviewsTexts(name),
	}, server)
	tidy := time.AfterFunc(startup, debug.FreeOSMemory) // free memory that only the start needed
	defer tidy.Stop()
	status, err := g.Serve(ctx)
	if err := db.Close(); err != nil {
		log(output.Sentence(err))
	}
	switch {
	case err != nil:
		return fmt.Errorf("the server %s: %w", name, err)
	case status != 0:
		return process.ExitStatus(status)
	}
	return nil
}
