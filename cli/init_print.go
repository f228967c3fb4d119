package cli

import (
	"strings"

	"toolcrib/gateway/clients"
)

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

// firstSet is the name of the first change set that was proposed.
func (d *docInit) firstSet() string {
	for _, i := range d.Imports {
		if len(i.Proposals) > 0 {
			return i.Label
		}
	}
	return clientsAgent
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
	proposed := 0
	for _, i := range d.Imports {
		proposed += len(i.Proposals)
		p.linef("%s: %s, %d proposed as the change set %s", i.Label, counted(i.Definitions, "definition"), len(i.Proposals), i.Label)
	}
	for _, f := range d.Failures {
		p.linef("%s: not read: %s", f.Server, f.Error)
	}
	if d.Configuration != "" {
		p.blank()
		p.linef("For approved tools to run, %s needs:", a.config.userFile)
		for line := range strings.Lines(d.Configuration) {
			p.linef("  %s", strings.TrimRight(line, "\n"))
		}
		p.linef("toolcrib wrap adds it; %s replaces secrets of the client's file.", clients.Mask)
	}
	if len(d.Agent) > 0 {
		proposed++
		p.linef("The agent whose tools wrapped clients get: %s, proposed as the change set %s", clientsAgent, clientsAgent)
	}
	a.closing(p)
	if proposed > 0 && !d.DryRun {
		p.blank()
		p.linef("Next, review the proposals: toolcrib")
		p.linef("A change set is decided as a whole, also by a command: toolcrib approve set:%s", d.firstSet())
		p.linef("Then give the approved tools to your clients: toolcrib wrap")
	}
}
