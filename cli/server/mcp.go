// This file implements the mcp command. It also defines the parts of the registry and of the review service that agents
// can access through the mcp and serve commands.

package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/files"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/instructions"
	"toolcrib/gateway/mcp"
	"toolcrib/history"
	"toolcrib/internal/httpserver"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/store"
)

type mcpFlags struct {
	command.CallerFlags
	http, tokenFile string
	expose          string
	origins         []string
	remote          bool
}

// tokenVariable is the environment variable with the bearer token. It is read if --token-file is not set.
const tokenVariable = "TOOLCRIB_MCP_TOKEN" //nolint:gosec // not a token, but the name of a variable

func newMCP(a *command.App) *cobra.Command {
	f := mcpFlags{CallerFlags: command.CallerFlags{Agent: "assistant"}}
	cmd := &cobra.Command{
		Use: "mcp",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			c := mcp.Config{Version: process.ProgramVersion(), Documents: documents(), Expose: mcp.Expose(f.expose)}
			if err := checkWeb(f.expose, f.origins); err != nil {
				return err
			}
			var err error
			if a.Flags.As != "" {
				if c.As, err = a.Actor(); err != nil {
					return err
				}
			}
			if c.Caller, err = f.Caller(a); err != nil {
				return err
			}
			run, err := a.Gateway(ctx)
			if err != nil {
				return err
			}
			c.Gateway, c.Upstream = toolUser{run.Gateway}, run.Upstream
			if run.Followed == nil {
				desk, err := a.OpenDesk(ctx)
				if err != nil {
					return errors.Join(err, run.Close())
				}
				c.Desk, c.Registry, c.Prompter = proposerOf(desk), approved{a.DB, c.Caller.Layer.View()}, prompter{desk, a.Builtin(desk), a.Env.Now}
			} else {
				if _, err := run.Followed.Registry(ctx); err != nil {
					return errors.Join(err, run.Close())
				}
				following, err := a.Following()
				if err != nil {
					return errors.Join(err, run.Close())
				}
				defer following.Poll(ctx, func(err error) { a.Note("toolcrib: %s", output.Sentence(err)) })()
				r := followed{run.Followed, c.Caller.Layer.View(), a.Env.Now}
				c.Registry, c.Prompter = r, r
			}
			server, err := mcp.New(c)
			a.RestoreGC()
			if err == nil && f.http == "" {
				err = server.ServeStdio(ctx, a.Env.In, a.Stdout)
			} else if err == nil {
				err = f.serveHTTP(ctx, a, server)
			}
			return errors.Join(err, run.Close())
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.http, "http", "", "serve over HTTP at `HOST:PORT`; port 0 selects a free port")
	set.StringVar(&f.tokenFile, "token-file", "", "the `FILE` with the bearer token; created with mode 0600 if missing")
	set.StringVar(&f.expose, "expose", string(mcp.ExposeMeta), "list `WHAT`: tools (the approved tools), meta (tools that find, call and propose tools) or both")
	set.StringSliceVar(&f.origins, "allow-origin", nil, "allow web pages of `ORIGIN`, such as https://example.com")
	set.BoolVar(&f.remote, "allow-remote", false, "allow --http to listen beyond this machine")
	f.Register(set)
	return cmd
}

// serveHTTP serves HTTP requests until ctx is done.
func (f mcpFlags) serveHTTP(ctx context.Context, a *command.App, server *mcp.Server) error {
	host, _, err := net.SplitHostPort(f.http)
	switch {
	case err != nil:
		return process.Usagef("--http is %q: use HOST:PORT, such as 127.0.0.1:8765", f.http)
	case !f.remote && !httpserver.Loopback(host):
		return process.Usagef("--http is %q, which other machines can reach; use 127.0.0.1:PORT, or add --allow-remote", f.http)
	}
	var token, source string // source is the place where the token is stored, or a new token itself
	switch {
	case f.tokenFile != "":
		source = "in " + a.Path(f.tokenFile)
		if token, err = readToken(a.Path(f.tokenFile)); err != nil {
			return err
		}
	case a.Env.Getenv(tokenVariable) != "":
		token, source = a.Env.Getenv(tokenVariable), "in "+tokenVariable
	default:
		token = rand.Text()
		source = token
	}
	if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return process.Usagef("the bearer token must have at least %d characters, and only visible ASCII characters", minToken)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.http)
	if err != nil {
		return err
	}
	// Use WriteNote, which also prints with --json, because scripts need the address.
	output.WriteNote(a.Env.Err, "serving http://%s%s", l.Addr(), mcp.Path)
	output.WriteNote(a.Env.Err, "bearer token: %s", source)
	return server.ServeHTTP(ctx, l, mcp.HTTP{Token: token, Origins: f.origins})
}

// minToken is the minimum length of a token in characters.
const minToken = 16

// readToken reads a token from a file that only its owner can read. If the file does not exist, readToken creates it
// with a new token.
func readToken(name string) (string, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		token := rand.Text()
		_, err = fmt.Fprintln(f, token)
		return token, errors.Join(err, f.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("other accounts can read the token in %s (mode %s); run chmod 600 on the file, and replace the token", name, info.Mode().Perm())
	}
	text, err := os.ReadFile(name)
	return strings.TrimSpace(string(text)), err
}

// documents returns functions that read and write documents for MCP tools, in the same formats as the command line.
func documents() mcp.Documents {
	return mcp.Documents{
		Draft: func(text []byte, complete bool) (proposals.Draft, error) {
			parsed, err := command.DecodeProposals("the arguments", text, complete)
			if err != nil {
				return proposals.Draft{}, err
			}
			return parsed[0].Draft, nil
		},
		Proposal: func(p proposals.Proposal) any { return facts.DocumentOf(p) },
		Dossier:  func(d review.Dossier) any { return document.NewDetail(d) },
		Comment:  func(c proposals.Comment) any { return c },
		Finding:  func(s registry.Subject, f review.Standing) any { return document.NewFinding(s.String(), f) },
		Preview:  document.NewOwnPreview,
		Fault: func(err error) mcp.Fault {
			f := mcp.Fault{Code: command.OutcomeOf(err).Code, Message: output.Sentence(err)}
			for _, p := range output.ProblemsOf(err) {
				f.Problems = append(f.Problems, mcp.Problem{Path: p.Path, Message: p.Message, Rule: p.Rule})
			}
			return f
		},
	}
}

// proposer contains the methods of the review service that agents are allowed to call. Requests of agents cannot reach
// any other method.
type proposer struct {
	mcp.Proposer
	mcp.Reader
	mcp.Previewer
}

func proposerOf(desk *service.Desk) proposer {
	return proposer{desk.Drafting, desk.Reading, desk.Impact}
}

// toolUser is the gateway for agents. It has no method for approving or refusing a pending call.
type toolUser struct{ mcp.Gateway }

// approved implements mcp.Registry with the database. It contains the approved definitions of the layers in view.
type approved struct {
	db   *store.DB
	view []registry.Layer
}

// Wait implements mcp.Registry.
func (r approved) Wait(ctx context.Context, previous int64, interval time.Duration) int64 {
	return r.db.Wait(ctx, previous, interval)
}

// State implements mcp.Registry.
func (r approved) State(ctx context.Context) (int64, error) {
	return command.ReadView(ctx, r.db.Calls().View, func(l gateway.LedgerReader) (int64, error) { return l.State(ctx) })
}

// List implements mcp.Registry.
func (r approved) List(ctx context.Context, id string) (registry.Live, error) {
	return command.ReadView(ctx, r.db.View, func(reader review.Reader) (registry.Live, error) { return listIn(ctx, reader, r.view, id) })
}

// listIn returns the allow-list with the given id that applies in the given layers.
func listIn(ctx context.Context, finder registry.Finder, view []registry.Layer, id string) (registry.Live, error) {
	entry, ok, err := registry.Layered{Finder: finder, View: view}.List(ctx, id)
	if err == nil && !ok {
		err = command.NotFoundf("the allow-list %s", id)
	}
	return entry.Live, err
}

// Files implements mcp.Registry.
func (r approved) Files(ctx context.Context) ([]registry.Live, error) {
	list, err := files.InRegistry(ctx, r.db, r.view)
	list = slices.DeleteFunc(list, func(l instructions.Listed) bool { return l.Status != registry.Active })
	return lists.Map(list, func(l instructions.Listed) registry.Live {
		return registry.Live{Subject: l.Subject, Version: l.Version, ContentHash: l.Hash}
	}), err
}

// Version implements mcp.Registry.
func (r approved) Version(ctx context.Context, s registry.Subject, number int) (history.Version, error) {
	if !slices.Contains(r.view, s.Layer) {
		return history.Version{}, command.NotFoundf("%s", s)
	}
	found, err := r.db.Versions(ctx, s, number+1, 1)
	if err == nil && (len(found) == 0 || found[0].Number != number) {
		err = command.NotFoundf("version %d of %s", number, s)
	}
	if err != nil {
		return history.Version{}, err
	}
	if err := r.db.Counts(ctx, found[0]); proof.Refuses(err) {
		return history.Version{}, command.NotFoundf("version %d of %s", number, s)
	} else if err != nil {
		return history.Version{}, err
	}
	return found[0], nil
}

// prompter implements mcp.Prompter with the database. A prompt contains the current time and the stored data of the
// user.
type prompter struct {
	desk   *service.Desk
	stored *builtin.Provider
	now    func() time.Time
}

// Prompt implements mcp.Prompter.
func (p prompter) Prompt(ctx context.Context, c gateway.Caller, channel string) (prompt.Output, error) {
	where := c.Where
	where.IncludeDeferred = false // the prompt explains how to find deferred tools
	in, err := p.desk.Impact.PromptInput(ctx, c.Agent, c.Layer, where)
	if err != nil {
		return prompt.Output{}, err
	}
	in.Context.Now = p.now()
	if err := command.AddStoredContext(ctx, p.stored, builtin.Owner{Customer: c.Customer, User: c.User}, &in.Context); err != nil {
		return prompt.Output{}, err
	}
	return prompt.Render(in, channel), nil
}

// followed implements mcp.Registry and mcp.Prompter with the registry that this machine follows. It contains the
// approved definitions of the layers in view.
type followed struct {
	*follow.Server
	view []registry.Layer
	now  func() time.Time
}

// read calls fn with the newest accepted copy of the registry.
func (f followed) read(ctx context.Context, fn func(*follow.Registry) error) error {
	r, err := f.Registry(ctx)
	if err == nil {
		err = fn(r)
	}
	return err
}

// State implements mcp.Registry.
func (f followed) State(ctx context.Context) (int64, error) {
	return command.ReadView(ctx, f.read, func(r *follow.Registry) (int64, error) { return r.State(ctx) })
}

// List implements mcp.Registry.
func (f followed) List(ctx context.Context, id string) (registry.Live, error) {
	return command.ReadView(ctx, f.read, func(r *follow.Registry) (registry.Live, error) { return listIn(ctx, r, f.view, id) })
}

// Files implements mcp.Registry.
func (f followed) Files(ctx context.Context) (list []registry.Live, err error) {
	err = f.read(ctx, func(r *follow.Registry) error {
		for _, l := range r.Lives {
			if folder := l.Definition.Folder(); folder != nil && folder.Status != registry.Deactivated && slices.Contains(f.view, l.Subject.Layer) {
				list = append(list, registry.Live{Subject: l.Subject, Version: l.Version, ContentHash: l.ContentHash})
			}
		}
		return nil
	})
	return list, err
}

// Version implements mcp.Registry.
func (f followed) Version(ctx context.Context, s registry.Subject, number int) (history.Version, error) {
	if !slices.Contains(f.view, s.Layer) {
		return history.Version{}, command.NotFoundf("%s", s)
	}
	return command.ReadView(ctx, f.read, func(r *follow.Registry) (history.Version, error) {
		v, err := r.Version(s, number)
		v.Version.Subject = s
		return v.Version, err
	})
}

// Prompt implements mcp.Prompter. The prompt contains no notes and tasks of the user, because these are stored in a
// database.
func (f followed) Prompt(ctx context.Context, c gateway.Caller, channel string) (prompt.Output, error) {
	return command.ReadView(ctx, f.read, func(r *follow.Registry) (prompt.Output, error) {
		where := c.Where
		where.IncludeDeferred = false // the prompt explains how to find deferred tools
		in, err := impact.PromptInput(ctx, r, c.Agent, c.Layer, where)
		if err != nil {
			return prompt.Output{}, err
		}
		in.Context.Now = f.now()
		return prompt.Render(in, channel), nil
	})
}
