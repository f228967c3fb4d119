// Package check implements the check command. The command compares either the tools that an application registers or
// the instruction files on this machine with the registry, a lock file, or a bundle.
package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/files"
	"toolcrib/cli/findings"
	"toolcrib/cli/process"
	"toolcrib/cli/report"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/conform"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/spans"
	"toolcrib/registry/wire"
	"toolcrib/review/proof"
)

// Family returns the check command.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newCheck},
		},
	}
}

// tiersKey is the key of the approval tiers in a document that lists tools.
const tiersKey = "approvalTiers"

type checkFlags struct {
	code, tiers   []string
	agent, format string
	server, lock  string
	partial       bool
	files         bool
	full          bool
	hook          string
	bundle        bundleFlags
	where         command.WhereFlags
	from          command.ServerFlags
	was           string
}

func newCheck(a *command.App) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:  "check --code FILE | --bundle FILE | --files [FOLDER]",
		Args: command.ArgsBetween(0, 1, "at most one folder, and only with --files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.files:
				return runCheckFiles(cmd.Context(), a, args, f)
			case len(args) > 0 || f.hook != "" || f.full:
				return process.Usagef("a folder, --hook, and --full need --files")
			}
			return runCheck(cmd.Context(), a, f)
		},
	}
	set := cmd.Flags()
	set.StringArrayVar(&f.code, "code", nil, "the `FILE` that lists the tools of the code, - for standard input; can be repeated")
	set.StringArrayVar(&f.tiers, "tiers", nil, "the `FILE` with the approval tiers that the code sets; can be repeated")
	set.StringVar(&f.agent, "agent", "", "compare with the tools of the agent `ID`")
	set.StringVar(&f.server, "server", "", "the code registers the tools of the MCP server `NAME`")
	set.StringVar(&f.lock, "lock", "", "compare with the lock `FILE`, without a database")
	set.StringVar(&f.bundle.file, "bundle", "", "check the bundle `FILE`, without a database")
	set.StringVar(&f.bundle.signers, "signers", "", "with --bundle: the `FILE` of trusted signers, in the allowed_signers format")
	set.StringVar(&f.bundle.database, "database", "", "with --bundle: require this `HASH` for the first event of the database")
	set.BoolVar(&f.bundle.allowUnsigned, "allow-unsigned", false, "with --bundle: accept versions without a signature")
	f.from.Register(set)
	set.BoolVar(&f.files, "files", false, "compare skills and instruction files")
	set.BoolVar(&f.full, "full", false, "with --files: read and hash every file, which is the default")
	set.StringVar(&f.hook, "hook", "", "with --files: respond as a hook of `CLIENT`: claude-code, codex, or cursor")
	set.StringVar(&f.was, "was", "", "`HOW` the client's file was formatted before toolcrib wrap --hooks; only unwrap uses this value")
	_ = set.MarkHidden("was") // cannot fail, because the flag exists
	set.BoolVar(&f.partial, "partial", false, "the code registers only some of the tools")
	set.StringVar(&f.format, "format", "text", "print `FORMAT`: text, json, sarif or github")
	f.where.Register(set)
	return cmd
}

func runCheck(ctx context.Context, a *command.App, f checkFlags) error {
	switch {
	case f.bundle.file == "" && f.bundle != (bundleFlags{}):
		return process.Usagef("--signers, --database, and --allow-unsigned need --bundle")
	case f.bundle.file != "" && (f.lock != "" || f.agent != ""):
		return process.Usagef("--bundle cannot be combined with --lock or --agent")
	case f.bundle.file == "" && len(f.code) == 0 && !f.from.Given():
		return process.Usagef("specify the tools to check: --code FILE, or --mcp or --mcp-url for a running server")
	case f.from.Given() && f.server == "":
		return process.Usagef("specify the server that the approved tools were imported from: --server NAME")
	case f.lock != "" && f.agent != "":
		return process.Usagef("--agent cannot be combined with --lock; write the lock for the agent: toolcrib export --format lock --agent %s", f.agent)
	}
	if err := report.CheckFormat(a, &f.format, "github"); err != nil {
		return err
	}
	if f.bundle.file != "" && len(f.code) == 0 && !f.from.Given() {
		return runCheckBundle(ctx, a, f)
	}
	code, err := f.read(ctx, a)
	if err != nil {
		return err
	}
	scope, err := f.scope(ctx, a)
	if err != nil {
		return err
	}
	scope.Partial, scope.Pinned = f.partial, f.from.Given()
	found, err := conform.Check(ctx, code, scope)
	if err != nil {
		return err
	}
	return printCheck(a, f.format, cmp.Or(scope.Registry, "the registry"), code, found)
}

// runCheckFiles implements check --files, which compares skills and instruction files with their approved versions.
func runCheckFiles(ctx context.Context, a *command.App, args []string, f checkFlags) error {
	if len(f.code)+len(f.tiers) > 0 || f.from.Given() || f.agent != "" || f.server != "" || f.bundle.file != "" || f.partial {
		return process.Usagef("--files can only be combined with --lock, --hook, and --format")
	}
	if err := report.CheckFormat(a, &f.format, "github"); err != nil {
		return err
	}
	locked, err := f.lockedFiles(ctx, a)
	if f.hook != "" {
		return files.Hook(ctx, a, f.hook, args, locked, err)
	}
	if err != nil {
		return err
	}
	doc, err := files.Check(ctx, a, args, locked)
	if err != nil {
		return err
	}
	run := findings.Run{Command: "check", Page: "docs/ci.md", Rules: files.Rules, Found: doc.Findings}
	err = report.Print(a, f.format, doc.OK, doc, run, func() string {
		switch {
		case doc.OK && doc.Counts["looked_at"] == 0:
			return "Nothing to check: these folders contain no skills or instruction files.\n"
		case doc.OK:
			return "The files match their approved versions.\n"
		}
		return findings.Text(doc.Findings)
	})
	if f.format == "text" {
		files.NoteFolders(a, doc)
	}
	return err
}

// lockedFiles returns the files that the lock file lists. It returns nil if the user did not specify a lock file.
func (f checkFlags) lockedFiles(ctx context.Context, a *command.App) ([]instructions.Approved, error) {
	if f.lock == "" {
		return nil, nil
	}
	lock, err := f.readLock(ctx, a)
	if err != nil {
		return nil, err
	}
	locked, err := files.Locked(lock)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.lock, err)
	}
	return locked, err
}

func (f checkFlags) readLock(ctx context.Context, a *command.App) (conform.Lock, error) {
	data, err := a.ReadAll(ctx, f.lock)
	if err != nil {
		return conform.Lock{}, err
	}
	lock, err := conform.ReadLock(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.lock, err)
	}
	return lock, err
}

// read returns the tools that the code registers. It reads them from a running server, from the files of --code, and
// from the files of --tiers.
func (f checkFlags) read(ctx context.Context, a *command.App) ([]conform.Code, error) {
	var code []conform.Code
	if f.from.Given() {
		from, err := f.from.LiveServer(a, registry.ServerName(f.server))
		if err != nil {
			return nil, err
		}
		data, err := from.Ask(ctx, a)
		if err != nil {
			return nil, err
		}
		doc, err := wire.Decode(data)
		if err != nil {
			return nil, err
		}
		noteSkipped(a, from.Name, doc)
		code = append(code, conform.Code{File: from.Name, Text: data, Document: doc})
	}
	for _, file := range f.code {
		data, err := a.ReadAll(ctx, file)
		if err != nil {
			return nil, err
		}
		doc, err := wire.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if doc.Format == wire.Toolcrib {
			return nil, fmt.Errorf("%s is an export of the registry; specify a list of the tools that the code registers", file)
		}
		noteSkipped(a, file, doc)
		code = append(code, conform.Code{File: file, Text: data, Document: doc, Tiers: conform.Tiers(file, tiersKey, doc.Node.Get(tiersKey))})
	}
	for _, file := range f.tiers {
		data, err := a.ReadAll(ctx, file)
		if err != nil {
			return nil, err
		}
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		path := jsondoc.Root
		if inner := n.Get(tiersKey); inner != nil {
			n, path = inner, tiersKey
		}
		if n.Kind != jsondoc.Object {
			return nil, fmt.Errorf("%s: expected an object that maps tool names to approval tiers, got %s", file, n.Kind)
		}
		code = append(code, conform.Code{File: file, Text: data, Document: wire.Document{Format: wire.Names}, Tiers: conform.Tiers(file, path, n)})
	}
	return code, nil
}

// noteSkipped prints a note for each entry of doc that the check skips. list is the name of the file or server from
// which doc was read, and each note begins with this name.
func noteSkipped(a *command.App, list string, doc wire.Document) {
	for _, s := range doc.Skipped {
		a.Note("%s: skipped: %s", list, s)
	}
}

// scope returns the catalog with which the check compares the code. The catalog includes deactivated tools.
func (f checkFlags) scope(ctx context.Context, a *command.App) (conform.Scope, error) {
	s := conform.Scope{Server: registry.ServerName(f.server)}
	if f.server != "" && s.Server == "" {
		return s, process.Usagef("--server is %q: use a name that contains letters or digits", f.server)
	}
	if f.lock != "" {
		lock, err := f.readLock(ctx, a)
		if err != nil {
			return s, err
		}
		server := s.Server
		s, err = lock.Scope()
		s.Registry, s.Server = f.lock, server
		return s, err
	}
	if f.bundle.file != "" {
		_, r, err := f.bundle.read(ctx, a)
		if err != nil {
			return s, err
		}
		if len(r.Faults) > 0 {
			return s, fmt.Errorf("%s: %w: %s; to see all faults, run toolcrib check --bundle without --code", f.bundle.file, proof.ErrSignature, r.Faults[0].Message)
		}
		s.Catalog, s.Registry = registry.Merge(r.Live), f.bundle.file
		s.Tools = s.Catalog.Tools()
		return s, nil
	}
	lives, err := command.Definitions(ctx, a)
	if err != nil {
		return s, err
	}
	lives = slices.DeleteFunc(lives, func(l registry.Live) bool { return !slices.Contains(a.Config.Layer.View(), l.Subject.Layer) })
	s.Catalog = registry.Merge(lives)
	s.Tools = s.Catalog.Tools()
	if f.agent == "" {
		return s, nil
	}
	agents := s.Catalog.Agents()
	i := slices.IndexFunc(agents, func(e registry.Entry) bool { return e.Subject.ID == f.agent || e.Subject.String() == f.agent })
	if i < 0 {
		return s, command.NotFoundf("agent %s", f.agent)
	}
	res, err := registry.Resolve(ctx, *agents[i].Definition.Agent, f.where.Context(true), s.Catalog)
	s.Tools = res.Tools()
	return s, err
}

// printCheck prints the findings in the given format. reference is "the registry", or the name of the lock file or
// bundle with which the code was compared.
func printCheck(a *command.App, format, reference string, code []conform.Code, found []conform.Finding) error {
	list := make([]findings.Finding, len(found))
	texts := lists.Index(code, func(c conform.Code) (string, *spans.File) { return c.File, spans.New(c.Text) })
	for i, f := range found {
		list[i] = findings.Finding{
			Rule: f.Rule.ID, Name: f.Rule.Name, Severity: f.Rule.Severity, File: f.File, Line: f.Pos.Line, Column: f.Pos.Column,
			Subject: f.Name, Path: f.Path, Field: "definition", Passage: f.Passage, Message: f.Message, Suggestion: f.Suggestion,
		}
		if text := texts[f.File]; text != nil && f.Passage != "" {
			if s, ok := text.Value(f.Pos, f.Passage, 0, len(f.Passage)); ok {
				list[i].Line, list[i].Column, list[i].EndLine, list[i].EndColumn = s.From.Line, s.From.Column, s.To.Line, s.To.Column
			}
		}
	}
	doc := report.New(len(found) == 0, list)
	for i, f := range found {
		d := &doc.Findings[i]
		d.Tool = f.Name
		if f.Subject.ID != "" {
			d.Subject = f.Subject.String()
		}
	}
	run := findings.Run{Command: "check", Page: "docs/ci.md", Rules: findings.Conformance(), Found: slices.Clone(list)}
	if format == "sarif" { // GitHub code scanning ignores findings without a file, such as a finding about a tool that the code does not register
		for i := range run.Found {
			run.Found[i].File = cmp.Or(run.Found[i].File, code[0].File)
		}
	}
	return report.Print(a, format, len(found) == 0, doc, run, func() string {
		if len(list) == 0 {
			return "The code and " + reference + " agree.\n"
		}
		return findings.Text(list)
	})
}
