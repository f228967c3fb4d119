package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/gateway/clients"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/store"
)

type initFlags struct {
	clients   []string
	yes, here bool
	empty     bool
	timeout   time.Duration
}

// docInit has the servers of this machine's clients and their import.
type docInit struct {
	docHead
	Servers  []docInitServer `json:"servers"`
	Problems []string        `json:"problems"`
	Started  bool            `json:"started"` // whether servers were started or reached
	Imports  []docImport     `json:"imports"`
	Failures []docInitFailed `json:"failures"`
	// Empty is true for a registry with the core tools and no other shipped
	// definition.
	Empty  bool `json:"empty"`
	DryRun bool `json:"dry_run,omitempty"`
}

// docInitServer is a server that clients list. Secrets are masked.
type docInitServer struct {
	Name      string   `json:"name"`
	Clients   []string `json:"clients"`
	Files     []string `json:"files"`
	Transport string   `json:"transport"`
	Starts    string   `json:"starts"`
	Project   string   `json:"project,omitempty"`
	Guarded   bool     `json:"guarded"`             // where every client starts it through the guard
	Variables []string `json:"variables,omitempty"` // that the clients set, by name
	Excluded  string   `json:"excluded,omitempty"`  // why it is not imported
}

type docInitFailed struct {
	Server string `json:"server"`
	Error  string `json:"error"`
}

func newInit(a *app) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Propose the tools of the MCP servers that your clients use",
		Long: `Find the MCP servers that the clients on this machine start or connect to, show
them, and propose their tools, one change set for each server. Nothing is live
before you approve it, and no client's file is changed: toolcrib wrap does that.

A server is started once to read its tools, and only after you agreed: a terminal
asks, and scripts pass --yes. All are asked at once, each for at most --timeout; one
that does not answer is named and stops no other. The servers that files of the
working directory name, such as .mcp.json, are shown and not started without --here,
as the author of the folder chose their commands. Secrets in commands and addresses
are masked.

The files of these clients are read, on Linux, macOS and Windows:
` + clientList() + `.

With --empty a new registry has no shipped agents, lists and assistant tools; the
core tools are in it, locked, and no agent has them. Exit status 6 when a server
could not be read.`,
		Example: `  toolcrib init                       # show the servers, then ask
  toolcrib init --client cursor --yes
  toolcrib init --yes --dry-run --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), a, f) },
	}
	set := cmd.Flags()
	set.StringSliceVar(&f.clients, "client", nil, "read the files of the client `ID` only")
	set.BoolVar(&f.yes, "yes", false, "start the servers without a prompt")
	set.DurationVar(&f.timeout, "timeout", 10*time.Second, "give each server at most `TIME` to answer")
	set.BoolVar(&f.empty, "empty", false, "create the registry without the shipped agents, lists and tools")
	set.BoolVar(&f.here, "here", false, "import the servers that files of the working directory name, too")
	return cmd
}

func runInit(ctx context.Context, a *app, f initFlags) error {
	doc, found, err := f.find(a)
	if err != nil {
		return err
	}
	if f.empty {
		if err := a.makeEmpty(ctx); err != nil {
			return err
		}
		doc.Empty = true
	}
	ready := slices.DeleteFunc(slices.Clone(found), func(c clientServer) bool { return c.excluded != "" })
	asks := !f.yes && !a.form.json && a.env.InTerminal && a.env.OutTerminal && len(ready) > 0
	if asks {
		f.yes, err = a.confirm(fmt.Sprintf("Start %s once to read the tools?", counted(len(ready), "server")), func(p *page) {
			doc.writeServers(p)
			p.blank()
		})
		if err != nil {
			return err
		}
	}
	if f.yes && len(ready) > 0 {
		if err := doc.importAll(ctx, a, ready, f.timeout); err != nil {
			return err
		}
	}
	err = a.print(doc, func(p *page) {
		if doc.Empty {
			p.linef("Empty registry: %s has the core tools, which are locked, and nothing else that is shipped.", a.config.DB)
			p.blank()
		}
		if !asks {
			doc.writeServers(p)
		}
		doc.writeImports(a, p, len(ready))
	})
	return cmp.Or(err, findingsUnless(len(doc.Failures) == 0))
}

// find reads the files of the clients.
func (f initFlags) find(a *app) (docInit, []clientServer, error) {
	doc := docInit{
		docHead: head("init"), Servers: []docInitServer{}, Problems: []string{}, Imports: []docImport{}, Failures: []docInitFailed{}, DryRun: a.flags.dryRun,
	}
	if err := knownClients(f.clients); err != nil {
		return doc, nil, err
	}
	if f.timeout <= 0 {
		return doc, nil, usagef("--timeout is %s; write a time such as 10s", f.timeout)
	}
	entries, files, err := a.clientEntries()
	if err != nil {
		return doc, nil, err
	}
	other := func(id string) bool { return len(f.clients) > 0 && !slices.Contains(f.clients, id) }
	for _, file := range files {
		for _, p := range file.Problems {
			if !other(file.Client) {
				doc.Problems = append(doc.Problems, p.Error())
			}
		}
	}
	entries = slices.DeleteFunc(entries, func(e clients.Entry) bool { return other(e.File.Client) })
	found := clientServers(entries, a.env, f.here)
	doc.Servers = mapped(found, newDocInitServer)
	return doc, found, nil
}

func newDocInitServer(c clientServer) docInitServer {
	s := c.entry.Server()
	return docInitServer{
		Name: c.name, Clients: c.clients(), Transport: string(s.Transport), Starts: c.starts(), Project: s.Project, Excluded: c.excluded,
		Guarded:   !slices.ContainsFunc(c.all, func(e clients.Entry) bool { return e.State() != clients.Guarded }),
		Files:     mapped(c.all, func(e clients.Entry) string { return e.File.Path }),
		Variables: mapped(s.Env, func(v clients.Variable) string { return v.Name }),
	}
}

// importAll reads the tools of servers, all at a time, and proposes them in the order
// of the list. A server that fails stops no other.
func (d *docInit) importAll(ctx context.Context, a *app, ready []clientServer, timeout time.Duration) error {
	d.Started = true
	read := readAtOnce(ctx, a, ready, timeout)
	for i, c := range ready {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		taken, err := intaken{}, read[i].err
		if err == nil {
			taken, err = importFlags{server: c.name, set: c.name}.take(ctx, a, read[i].from.shown, read[i].data, &read[i].from)
		}
		if err != nil {
			d.Failures = append(d.Failures, docInitFailed{c.name, c.fault(err, timeout)})
			continue
		}
		out := taken.document(a)
		out.Configuration = "" // the guard needs none
		d.Imports = append(d.Imports, out)
	}
	return ctx.Err()
}

// makeEmpty makes a registry with the core alone. One that has more is not made
// empty: nothing leaves a registry.
func (a *app) makeEmpty(ctx context.Context) error {
	a.empty = true
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	alone, err := coreAlone(ctx, db)
	if err != nil || alone {
		return err
	}
	return fmt.Errorf("%s exists and has the shipped agents and tools, which never leave a registry; name a new file with --db%w", a.config.DB, hide(proposals.ErrConflict))
}

// coreAlone reports whether a registry was made empty: of the shipped definitions
// it has the core tools only.
func coreAlone(ctx context.Context, db *store.DB) (bool, error) {
	assistant := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: shipped.AssistantID}
	_, err := viewed(ctx, db.View, func(r review.Reader) (registry.Live, error) { return r.Live(ctx, assistant) })
	if errors.Is(err, proposals.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// writeServers shows what the clients have.
func (d *docInit) writeServers(p *page) {
	var rows, left [][]string
	for _, s := range d.Servers {
		row := []string{s.Name, strings.Join(s.Clients, ", "), s.Starts}
		if s.Excluded == "" {
			rows = append(rows, row)
		} else {
			left = append(left, append(row[:2:2], s.Excluded))
		}
	}
	if len(d.Servers) == 0 {
		p.linef("No MCP client on this machine starts a server that toolcrib can find. Import one with `toolcrib import --mcp COMMAND --server NAME`.")
	}
	if len(rows) > 0 {
		p.table([]string{"SERVER", "CLIENTS", "STARTS"}, rows)
	}
	if len(left) > 0 {
		p.blank()
		p.table([]string{"LEFT OUT", "CLIENTS", "BECAUSE"}, left)
	}
	for i, problem := range d.Problems {
		if i == 0 {
			p.blank()
		}
		p.linef("problem: %s", problem)
	}
}

// writeImports prints the proposals and the next steps.
func (d *docInit) writeImports(a *app, p *page, ready int) {
	if !d.Started {
		if ready > 0 {
			p.blank()
			p.linef("Nothing was started. To read the tools of %s and propose them: toolcrib init --yes", counted(ready, "server"))
		}
		if d.Empty {
			a.closing(p)
		}
		return
	}
	p.blank()
	for _, i := range d.Imports {
		p.linef("%s: %s, %d proposed as the change set %s", i.Label, counted(i.Definitions, "definition"), len(i.Proposals), i.Label)
	}
	for _, f := range d.Failures {
		p.linef("%s: not read: %s", f.Server, f.Error)
	}
	a.closing(p)
	if len(d.Imports) > 0 && !d.DryRun {
		p.blank()
		p.linef("Next, guard the servers where they stand: toolcrib wrap")
		p.linef("Then review and approve each server's tools once, in the workbench: toolcrib")
	}
}
