package cli

import "strings"

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
