// Package setup implements the init command. The command proposes the servers, skills, and instruction files that the
// clients on this machine already use.
package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/files"
	"toolcrib/cli/imports"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/wrap"
	"toolcrib/gateway/clients"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
)

// Family returns the init command.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newInit, Creates: true},
		},
		Documents: map[string]any{
			"init": docInit{},
		},
	}
}

type initFlags struct {
	clients   []string
	yes, here bool
	empty     bool
	timeout   time.Duration
	timed     bool // whether the user set --timeout
}

// docInit is the document that the init command prints. It lists the servers and files of the clients on this machine,
// with the results of the imports.
type docInit struct {
	output.Head
	Servers  []docInitServer     `json:"servers"`
	Problems []string            `json:"problems"`
	Started  bool                `json:"started"` // whether toolcrib started or contacted the servers
	Imports  []imports.DocImport `json:"imports"`
	Failures []docInitFailed     `json:"failures"`
	// Files lists the skills and instruction files in the home folder and in the current folder. Each folder has one
	// step for each file that differs from its approved version.
	Files []files.DocFolder `json:"files"`
	// Empty is true if the registry was created without the shipped agents and tools.
	Empty  bool `json:"empty"`
	DryRun bool `json:"dry_run,omitempty"`

	proposed func(*output.Page) // prints the proposals for files; nil if there are none
	skipped  int                // number of definitions of the servers that were skipped
}

// docInitServer describes a server that is configured in at least one client. Secrets are masked.
type docInitServer struct {
	Name      string   `json:"name"`
	Clients   []string `json:"clients"`
	Files     []string `json:"files"`
	Transport string   `json:"transport"`
	Starts    string   `json:"starts"`
	Project   string   `json:"project,omitempty"`
	Guarded   bool     `json:"guarded"`             // whether every client starts the server through the guard
	Variables []string `json:"variables,omitempty"` // names of the environment variables that the clients set
	Excluded  string   `json:"excluded,omitempty"`  // reason why the server is not imported
}

type docInitFailed struct {
	Server string `json:"server"`
	Error  string `json:"error"`
}

func newInit(a *command.App) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use: "init",
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.timed = cmd.Flags().Changed("timeout")
			ctx := cmd.Context()
			doc, found, err := f.find(ctx, a)
			if err != nil {
				return err
			}
			if f.empty {
				a.Empty, doc.Empty = true, true
				db, err := a.Database(ctx)
				if err != nil {
					return err
				}
				if alone, err := command.CoreAlone(ctx, db); err != nil {
					return err
				} else if !alone {
					return proposals.Reason(proposals.ErrConflict, "%s already contains the shipped agents and tools, which cannot be removed from a registry; for an empty registry, use a new file with --db", a.Config.DB)
				}
			}
			ready := slices.DeleteFunc(slices.Clone(found), func(c clientServer) bool { return c.excluded != "" })
			asks := !f.yes && a.Asks() && len(ready)+files.Open(doc.Files) > 0
			if asks {
				question := fmt.Sprintf("Start %s once to read the tools", output.Counted(len(ready), "server"))
				switch propose := "ropose " + output.Counted(files.Open(doc.Files), "skill or instruction file"); {
				case len(ready) == 0:
					question = "P" + propose
				case files.Open(doc.Files) > 0:
					question += ", and p" + propose
				}
				f.yes, err = a.Confirm(question+"?", func(p *output.Page) {
					doc.writeServers(p)
					p.Blank()
				})
				if err != nil {
					return err
				}
			}
			if f.yes && len(ready) > 0 && !a.Flags.DryRun { // a dry run starts no servers
				if err := doc.importAll(ctx, a, ready, f.timeout); err != nil {
					return err
				}
			}
			if f.yes && files.Open(doc.Files) > 0 {
				if doc.Files, doc.proposed, err = (files.Import{}).ProposeChanges(ctx, a, doc.Files); err != nil {
					return err
				}
			}
			nothing := len(f.clients) == 0 && len(ready)+files.Open(doc.Files) == 0 // whether there is nothing to import
			if (f.yes || nothing) && !a.Flags.DryRun {
				if _, err := a.Database(ctx); err != nil {
					return err
				}
			}
			err = a.Print(doc, func(p *output.Page) {
				if doc.Empty {
					p.Linef("Empty registry: %s has only the core tools, which are locked.", a.Config.DB)
					p.Blank()
				}
				if !asks {
					doc.writeServers(p)
				}
				doc.writeImports(a, p, len(ready), f.here)
			})
			return cmp.Or(err, process.CheckFindings(len(doc.Failures)+doc.skipped == 0))
		},
	}
	set := cmd.Flags()
	set.StringSliceVar(&f.clients, "client", nil, "read only the files of the client `ID`")
	set.BoolVar(&f.yes, "yes", false, "start the servers without asking")
	set.DurationVar(&f.timeout, "timeout", 0, "wait at most `TIME` for each server (default: 10s, or 1m0s for a server that a package runner may have to install)")
	set.BoolVar(&f.empty, "empty", false, "create the registry without the shipped agents, lists and tools")
	set.BoolVar(&f.here, "here", false, "also import the servers in files of the working directory")
	return cmd
}

// find returns the servers that the clients on this machine use, and a document that lists these servers and the files
// that the clients use.
func (f initFlags) find(ctx context.Context, a *command.App) (docInit, []clientServer, error) {
	doc := docInit{
		Head: output.NewHead("init"), Servers: []docInitServer{}, Problems: []string{}, Imports: []imports.DocImport{}, Failures: []docInitFailed{}, Files: []files.DocFolder{}, DryRun: a.Flags.DryRun,
	}
	if err := wrap.KnownClients(f.clients); err != nil {
		return doc, nil, err
	}
	if f.timeout < 0 || f.timeout == 0 && f.timed {
		return doc, nil, process.Usagef("--timeout must be a time such as 10s (got %s)", f.timeout)
	}
	entries, configured, err := wrap.ClientEntries(ctx, a)
	if err != nil {
		return doc, nil, err
	}
	other := func(id string) bool { return len(f.clients) > 0 && !slices.Contains(f.clients, id) }
	for _, file := range configured {
		for _, p := range file.Problems {
			if !other(file.Client) {
				doc.Problems = append(doc.Problems, p.Error())
			}
		}
	}
	entries = slices.DeleteFunc(entries, func(e clients.Entry) bool { return other(e.File.Client) })
	found := clientServers(entries, a.Env, f.here)
	doc.Servers = lists.Map(found, func(c clientServer) docInitServer {
		s := c.entry.Server()
		return docInitServer{
			Name: c.name, Clients: lists.Union(nil, lists.Map(c.all, func(e clients.Entry) string { return e.File.Client })), Transport: string(s.Transport), Starts: c.commandOrURL(), Project: s.Project, Excluded: c.excluded,
			Guarded:   !slices.ContainsFunc(c.all, func(e clients.Entry) bool { return e.State() != clients.Guarded }),
			Files:     lists.Map(c.all, func(e clients.Entry) string { return e.File.Path }),
			Variables: lists.Map(s.Env, func(v clients.Variable) string { return v.Name }),
		}
	})
	if len(f.clients) > 0 {
		return doc, found, nil
	}
	creates := a.Creates
	a.Creates = false // finding changes must not create a database
	folders, problems, err := files.FindChanges(ctx, a)
	a.Creates = creates
	doc.Files = append(doc.Files, lists.Filter(folders, func(d files.DocFolder) bool { return d.Found+len(d.Steps) > 0 })...)
	doc.Problems = append(doc.Problems, problems...)
	return doc, found, err
}

// importAll reads the tools of the servers in ready in parallel, and then proposes them in the order of the servers in
// ready. If an import fails, importAll adds the error to d and continues with the other servers.
func (d *docInit) importAll(ctx context.Context, a *command.App, ready []clientServer, timeout time.Duration) error {
	d.Started = true
	read := readAll(ctx, a, ready, timeout)
	for i, c := range ready {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := read[i].Err; err != nil {
			fault := c.problem(err, c.limit(timeout))
			d.Failures = append(d.Failures, docInitFailed{c.name, "not read: " + fault})
			if err := imports.RecordProblem(ctx, a, c.name, fault); err != nil {
				return err
			}
			continue
		}
		taken, err := imports.Import{Server: c.name}.Run(ctx, a, read[i].From.Shown, read[i].Data, &read[i].From)
		if err != nil {
			d.Failures = append(d.Failures, docInitFailed{c.name, "toolcrib read the tools, but could not propose them: " + output.Sentence(err)})
			continue
		}
		d.skipped += taken.Skipped()
		out := taken.Document(a)
		out.Configuration = "" // init does not print lines for toolcrib.toml
		d.Imports = append(d.Imports, out)
	}
	return ctx.Err()
}

// writeServers prints the servers and files that were found, and the problems of configuration files.
func (d *docInit) writeServers(p *output.Page) {
	var rows, left [][]string
	for _, s := range d.Servers {
		row := []string{s.Name, strings.Join(s.Clients, ", "), s.Starts}
		if s.Excluded == "" {
			rows = append(rows, row)
		} else {
			left = append(left, append(row[:2:2], s.Excluded))
		}
	}
	if len(d.Servers) == 0 && files.Open(d.Files) == 0 {
		p.Linef("No MCP client on this machine has a server. To import the tools of a server: toolcrib import --mcp COMMAND --server NAME")
	}
	if len(rows) > 0 {
		p.Table([]string{"SERVER", "CLIENTS", "STARTS"}, rows)
	}
	if len(left) > 0 {
		p.Blank()
		p.Table([]string{"LEFT OUT", "CLIENTS", "BECAUSE"}, left)
	}
	if len(d.Servers) > 0 && len(d.Files) > 0 {
		p.Blank()
	}
	files.Table(p, d.Files)
	for i, problem := range d.Problems {
		if i == 0 {
			p.Blank()
		}
		p.Linef("problem: %s", problem)
	}
}

// writeImports prints the results of the imports, and the commands for the next steps. here reports whether the user
// passed --here, which these commands then need, too.
func (d *docInit) writeImports(a *command.App, p *output.Page, ready int, here bool) {
	flag := ""
	if here {
		flag = " --here"
	}
	if !d.Started && d.proposed == nil {
		if waiting := files.Open(d.Files); ready+waiting > 0 {
			p.Blank()
			offer := fmt.Sprintf("No server was started. To propose the tools of %s", output.Counted(ready, "server"))
			switch {
			case ready == 0:
				offer = "Nothing was proposed. To propose the files"
			case waiting > 0:
				offer += " and the files"
			}
			p.Linef("%s: toolcrib init%s --yes", offer, flag)
		}
		if d.Empty {
			a.Closing(p)
		}
		return
	}
	p.Blank()
	for _, i := range d.Imports {
		p.Linef("%s: %s, %s", i.Label, output.Counted(i.Definitions, "definition"), i.Outcome())
		for _, left := range i.LeftOut() {
			p.Linef("    left out: %s", output.FullStop(left))
		}
	}
	for _, f := range d.Failures {
		p.Linef("%s: %s", f.Server, f.Error)
	}
	if d.proposed != nil {
		d.proposed(p)
	}
	a.Closing(p)
	if d.DryRun || len(d.Imports) == 0 && d.proposed == nil {
		return
	}
	p.Blank()
	if len(d.Imports) > 0 {
		p.Linef("Guard the servers in the clients' files: toolcrib wrap%s", flag)
	}
	p.Linef("Review and approve the proposals in the workbench: toolcrib")
	if d.proposed != nil {
		p.Linef("To stop sessions while these files differ from their approved versions: toolcrib wrap --hooks")
	}
}
