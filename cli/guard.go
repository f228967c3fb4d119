package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"toolcrib/gateway/guard"
	"toolcrib/internal/visible"
	"toolcrib/registry"
)

type guardFlags struct {
	url, tokenEnv, was string
}

func newGuard(a *app) *cobra.Command {
	var f guardFlags
	cmd := &cobra.Command{
		Use:   "guard NAME -- COMMAND… | guard NAME --url URL",
		Short: "Run an MCP server so that its client gets approved tools alone",
		Long: `Stand between an MCP client and the server NAME: start the server's COMMAND, in
the same folder and with the same environment, or connect to its URL (streamable
HTTP), and relay every message byte for byte, except:

  - tools/list lists the tools whose definition is approved, in the approved bytes;
  - tools/call of any other tool is refused with the reason, and so is a call that
    an approval tier, a cooldown or a limit holds; every call is logged;
  - new, changed and vanished tools become proposals in the change set NAME, and
    are withheld until they are approved. The client hears of an approval at once.

toolcrib wrap writes this command into the files of clients. The headers for a URL
are taken from the environment: TOOLCRIB_HEADER_X_Key holds the header X-Key.

When the database cannot be read, or there is none, no tool is listed or called;
standard error and a log message to the client tell why. Other messages pass.

It ends with the server, with the server's exit status, and ends the server when
the client goes away.`,
		Example: `  toolcrib guard memory -- npx -y @modelcontextprotocol/server-memory
  toolcrib guard tracker --url https://mcp.example.com/mcp`,
		Args: func(cmd *cobra.Command, args []string) error { return f.check(cmd.ArgsLenAtDash(), args) },
		RunE: func(cmd *cobra.Command, args []string) error { return runGuard(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.StringVar(&f.url, "url", "", "connect to the server at `URL` (streamable HTTP)")
	set.StringVar(&f.tokenEnv, "token-env", "", "with --url: send the bearer token in the variable `NAME`")
	set.StringVar(&f.was, "was", "", "`HOW` the client's file was written before toolcrib wrap, for unwrap; it changes nothing")
	return cmd
}

// check checks the arguments, of which the first dash stand before "--"; -1 for none.
func (f guardFlags) check(dash int, args []string) error {
	if dash < 0 {
		dash = len(args)
	}
	switch {
	case dash != 1:
		return usagef(`write the name of the server, then "--" and its command, or --url URL; got %s before the command`, counted(dash, "argument"))
	case registry.ServerName(args[0]) == "":
		return usagef("%q is not a name for a server: it needs a letter or a digit", args[0])
	case f.url == "" && len(args) == 1:
		return usagef(`name what starts the server: -- COMMAND…, or --url URL`)
	case f.url != "" && len(args) > 1:
		return usagef("a command and --url exclude each other")
	case f.url != "":
		if err := checkEndpoint(f.url, false); err != nil {
			return usagef("the server %v", err)
		}
	}
	return nil
}

func runGuard(ctx context.Context, a *app, args []string, f guardFlags) error {
	signal.Ignore(syscall.SIGPIPE) // a client that goes away ends the server in order
	ctx, stop := signal.NotifyContext(ctx, hangup()...)
	defer stop()
	crib := newGuardCrib(a, registry.ServerName(args[0]))
	var server guard.Server
	if f.url != "" {
		headers := guard.Headers(os.Environ())
		if token := a.env.Getenv(f.tokenEnv); f.tokenEnv != "" && token != "" {
			headers.Set("Authorization", "Bearer "+token)
		}
		server = guard.NewEndpoint(f.url, headers)
	} else {
		server = &guard.Command{Args: args[1:], Dir: a.env.Dir, Stderr: a.stderr}
	}
	a.restoreGC()
	in, restore := pollable(a.keyboard)
	defer restore()
	g := guard.New(guard.Config{Crib: crib, Name: crib.name, In: in, Out: a.stdout, Log: crib.log, Gone: func() bool { return gone(a.stdout) }, Times: a.env.Guard}, server)
	status, err := g.Serve(ctx)
	crib.close()
	switch {
	case err != nil:
		return fmt.Errorf("the server %s: %w", crib.name, err)
	case status != 0:
		return exitStatus(status)
	}
	return nil
}

// log writes a line of the guard's own to standard error.
func (c *guardCrib) log(text string) {
	fmt.Fprintf(c.app.env.Err, "toolcrib guard %s: %s\n", c.name, strings.TrimRight(visible.Line(text), "\n"))
}
