package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"toolcrib/cli/findings"
	"toolcrib/registry"
	"toolcrib/registry/conform"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
)

// tiersKey is the key under which a document sets approval tiers.
const tiersKey = "approvalTiers"

type checkFlags struct {
	code, tiers   []string
	agent, format string
	partial       bool
	where         whereFlags
}

func newCheck(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check --code FILE",
		Short: "Compare what an application's code registers with the registry",
		Long: `Compare both ways: tools that only the code or only the registry knows, retired or
deactivated ones in use, definitions that differ, aliases in use, tools without
an explicit approval tier, and approval tiers that are set for what is no tool.

The code is a file that the application's build writes: an MCP tools/list answer,
an OpenAI or Anthropic tool array, a v0 prompt file, or a list of names. Its
approval tiers may stand in it as "approvalTiers", or in a file of their own
({"create_tasks": "auto_approve"}). With --agent the code is held against what
that agent has, else against every tool of the view. Tools that an MCP server
runs are registered there and not missed in the code.

Nothing is proposed or changed. Exit status 6 when anything is found.`,
		Example: `  toolcrib check --code dist/tools.json --agent assistant
  toolcrib check --code tools.json --format sarif > check.sarif`,
		Args: exact(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runCheck(cmd.Context(), a, f) },
	}
	set := cmd.Flags()
	set.StringArrayVar(&f.code, "code", nil, "`FILE` with what the code registers, - for standard input; may be repeated")
	set.StringArrayVar(&f.tiers, "tiers", nil, "`FILE` with the approval tiers that the code sets; may be repeated")
	set.StringVar(&f.agent, "agent", "", "hold the code against what the agent `ID` has")
	set.BoolVar(&f.partial, "partial", false, "the code registers only some of the tools")
	set.StringVar(&f.format, "format", "text", "print `FORMAT`: text, json, sarif or github")
	f.where.register(set)
	return cmd
}

func runCheck(ctx context.Context, a *app, f checkFlags) error {
	switch {
	case len(f.code) == 0:
		return usagef("name what the code registers: --code FILE")
	case a.flags.json && f.format == "text":
		f.format = "json"
	case !slices.Contains([]string{"text", "json", "sarif", "github"}, f.format):
		return usagef("there is no format %q; write text, json, sarif or github", f.format)
	}
	code, err := f.read(ctx, a)
	if err != nil {
		return err
	}
	scope, err := f.scope(ctx, a)
	if err != nil {
		return err
	}
	found, err := conform.Check(ctx, code, scope)
	if err != nil {
		return err
	}
	if err := a.printCheck(f.format, found); err != nil {
		return err
	}
	return findingsUnless(len(found) == 0)
}

// read reads the files of the code.
func (f checkFlags) read(ctx context.Context, a *app) ([]conform.Code, error) {
	var code []conform.Code
	for _, file := range f.code {
		data, err := a.readAll(ctx, file)
		if err != nil {
			return nil, err
		}
		doc, err := wire.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if doc.Format == wire.Toolcrib {
			return nil, fmt.Errorf("%s is an export of the registry itself, not what code registers", file)
		}
		code = append(code, conform.Code{File: file, Document: doc, Tiers: tiersOf(file, doc.Node.Get(tiersKey))})
	}
	for _, file := range f.tiers {
		data, err := a.readAll(ctx, file)
		if err != nil {
			return nil, err
		}
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if inner := n.Get(tiersKey); inner != nil {
			n = inner
		}
		if n.Kind != jsondoc.Object {
			return nil, fmt.Errorf("%s: expected an object of names and approval tiers, got %s", file, n.Kind)
		}
		code = append(code, conform.Code{File: file, Document: wire.Document{Format: wire.Names}, Tiers: tiersOf(file, n)})
	}
	return code, nil
}

func tiersOf(file string, n *jsondoc.Node) []conform.Tier {
	if n == nil {
		return nil
	}
	var tiers []conform.Tier
	for _, m := range n.Members {
		tiers = append(tiers, conform.Tier{Name: m.Key, File: file, Pos: m.Pos})
	}
	return tiers
}

// scope is what the code is held against: deactivated tools are known too.
func (f checkFlags) scope(ctx context.Context, a *app) (conform.Scope, error) {
	s := conform.Scope{Partial: f.partial}
	layer, err := a.layer()
	if err != nil {
		return s, err
	}
	lives, err := a.everything(ctx)
	if err != nil {
		return s, err
	}
	lives = slices.DeleteFunc(lives, func(l registry.Live) bool { return !slices.Contains(layer.View(), l.Subject.Layer) })
	s.Catalog = registry.Merge(lives)
	s.Tools = s.Catalog.Tools()
	if f.agent == "" {
		return s, nil
	}
	agents := s.Catalog.Agents()
	i := slices.IndexFunc(agents, func(e registry.Entry) bool { return e.Subject.ID == f.agent || e.Subject.String() == f.agent })
	if i < 0 {
		return s, notFoundf("agent %s", f.agent)
	}
	res, err := registry.Resolve(ctx, *agents[i].Definition.Agent, f.where.context(true), s.Catalog, shipped.AllowList)
	s.Tools = res.Tools()
	return s, err
}

// printCheck writes what was found in the form that was asked for.
func (a *app) printCheck(format string, found []conform.Finding) error {
	doc := docFindings{Schema: schema, Kind: "findings", OK: len(found) == 0, Findings: []docFinding{}, Counts: map[string]int64{}}
	list := make([]findings.Finding, len(found))
	for i, f := range found {
		list[i] = findings.Finding{
			Rule: f.Rule.ID, Name: f.Rule.Name, Severity: f.Rule.Severity, File: f.File, Line: f.Pos.Line, Column: f.Pos.Column,
			Path: f.Name, Message: f.Message, Suggestion: f.Suggestion,
		}
		doc.Counts[f.Rule.Severity]++
		d := docFinding{
			Rule: f.Rule.ID, Severity: f.Rule.Severity, Subject: f.Subject.String(), Path: f.Name, File: f.File,
			Line: f.Pos.Line, Column: f.Pos.Column, Message: f.Message, Suggestion: f.Suggestion,
		}
		doc.Findings = append(doc.Findings, d)
	}
	switch format {
	case "json":
		return a.printJSON(doc)
	case "sarif":
		return a.written(func(w io.Writer) error { return findings.SARIF(w, programVersion(), checkRules(), list) })
	case "github":
		return writtenTo(a.stdout, func(w io.Writer) error { return findings.GitHub(w, list) })
	}
	return a.written(func(w io.Writer) error {
		if len(list) == 0 {
			_, err := fmt.Fprintln(w, "The code and the registry agree.")
			return err
		}
		return findings.Text(w, list)
	})
}

func checkRules() []findings.Rule {
	var list []findings.Rule
	for _, r := range conform.Rules() {
		list = append(list, findings.Rule{ID: r.ID, Name: r.Name, Severity: r.Severity, Doc: r.Doc, Help: r.Suggestion})
	}
	return list
}
