package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/gateway/clients"
)

type initFlags struct {
	clients   []string
	yes, here bool
	empty     bool
}

// docInit has the servers of this machine's clients and their import.
type docInit struct {
	docHead
	Servers  []docInitServer `json:"servers"`
	Problems []string        `json:"problems"`
	Started  bool            `json:"started"` // whether servers were started or reached
	Imports  []docImport     `json:"imports"`
	Failures []docInitFailed `json:"failures"`
	Agent    []docProposal   `json:"agent"` // the proposal of the agent of wrapped clients, where there is none
	// Configuration holds what the user's file lacks for the approved tools to run,
	// with secrets masked.
	Configuration string `json:"configuration,omitempty"`
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
them, and propose their tools, one change set for each server, and the agent that
has them where wrap puts toolcrib in their place. Nothing is live before you
approve it, and no client's file is changed.

A server is started once to read its tools, and only after you agreed: a terminal
asks, and scripts pass --yes. The servers that files of the working directory name,
such as .mcp.json, are shown and not started without --here, as the author of the
folder chose their commands. Secrets in commands and addresses are masked.

The files of these clients are read, on Linux, macOS and Windows: ` + clientList() + `.

With --empty a new registry has no shipped agents, lists and assistant tools; the
core tools are in it, locked, and no agent has them.

For an approved tool to run, its server has to be in your configuration; the lines
to add are printed. Exit status 6 when a server could not be read.`,
		Example: `  toolcrib init                       # show the servers, then ask
  toolcrib init --client cursor --yes
  toolcrib init --yes --dry-run --json`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runInit(cmd.Context(), a, f) },
	}
	set := cmd.Flags()
	set.StringSliceVar(&f.clients, "client", nil, "read the files of the client `ID` only")
	set.BoolVar(&f.yes, "yes", false, "start the servers without a prompt")
	set.BoolVar(&f.empty, "empty", false, "create the registry without the shipped agents, lists and tools")
	set.BoolVar(&f.here, "here", false, "import the servers that files of the working directory name, too")
	return cmd
}

// clientList names the clients, wrapped for the help text.
func clientList() string {
	var b strings.Builder
	line := 60 // the text before it
	for i, c := range clients.All() {
		word := c.ID
		if i < len(clients.All())-1 {
			word += ","
		}
		if line+len(word) > 78 {
			b.WriteString("\n")
			line = 0
		} else if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(word)
		line += len(word) + 1
	}
	return b.String()
}

// knownClients refuses ids of no client.
func knownClients(ids []string) error {
	for _, id := range ids {
		if !slices.ContainsFunc(clients.All(), func(c clients.Client) bool { return c.ID == id }) {
			return usagef("there is no client %q; write one of %s", id, strings.Join(strings.Fields(clientList()), " "))
		}
	}
	return nil
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
	asks := !f.yes && !a.flags.json && a.env.InTerminal && a.env.OutTerminal && len(ready) > 0
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
		if err := doc.importAll(ctx, a, ready); err != nil {
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
		docHead: head("init"), Servers: []docInitServer{}, Problems: []string{}, Imports: []docImport{}, Failures: []docInitFailed{}, Agent: []docProposal{}, DryRun: a.flags.dryRun,
	}
	if err := knownClients(f.clients); err != nil {
		return doc, nil, err
	}
	c, err := a.settings()
	if err != nil {
		return doc, nil, err
	}
	// All files are read, so that --client gives no server another name.
	files, err := a.clientFiles(nil, true)
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
	found := slices.DeleteFunc(clientServers(files, a.env, f.here), func(c clientServer) bool {
		return !slices.ContainsFunc(c.clients(), func(id string) bool { return !other(id) })
	})
	for i := range found {
		found[i].known(c.Servers)
	}
	doc.Servers = mapped(found, func(c clientServer) docInitServer {
		return docInitServer{
			Name: cmp.Or(c.label, c.listed.Name), Clients: c.clients(), Transport: string(c.listed.Transport), Starts: c.starts(), Project: c.listed.Project, Excluded: c.excluded,
			Files:     mapped(c.files, func(f clients.File) string { return f.Path }),
			Variables: mapped(c.listed.Env, func(v clients.Variable) string { return v.Name }),
		}
	})
	return doc, found, nil
}

// importAll reads the tools of servers, several at a time, and proposes them in the
// order of the list. A server that fails stops no other.
func (d *docInit) importAll(ctx context.Context, a *app, ready []clientServer) error {
	d.Started = true
	read := readAtOnce(ctx, a, ready)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var missing []string
	for i, c := range ready {
		taken, err := c.take(ctx, a, read[i])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			d.Failures = append(d.Failures, docInitFailed{c.label, sentence(err)})
			continue
		}
		out := taken.document(a)
		if out.Configuration != "" {
			missing = append(missing, c.lines(true))
			out.Configuration = "" // it has the secrets of the command
		}
		d.Imports = append(d.Imports, out)
	}
	d.Configuration = strings.Join(missing, "\n")
	if len(d.Imports) == 0 {
		return nil
	}
	made, err := a.proposeClientsAgent(ctx)
	d.Agent = newDocProposalList(made, "", false).Proposals
	return err
}
