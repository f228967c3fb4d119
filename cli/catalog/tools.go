package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// docTool is a live definition in a list. Definition stands only where one is
// asked for.
type docTool struct {
	ID          string          `json:"id"`
	Subject     string          `json:"subject"`
	Layer       string          `json:"layer"`
	Kind        string          `json:"kind"`
	Name        string          `json:"name"`
	Version     int             `json:"version"`
	Status      string          `json:"status"`
	Locked      bool            `json:"locked"`
	ContentHash string          `json:"content_hash"`
	Category    string          `json:"category"`
	Tier        string          `json:"tier"`
	Approval    string          `json:"approval"`
	Hides       []string        `json:"hides,omitempty"`
	Definition  json.RawMessage `json:"definition,omitempty"`
	Imported    *docImported    `json:"imported,omitempty"` // with the definition of one that was
}

// docImported is where a definition came from, as it was recorded then.
type docImported struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Format string    `json:"format"`
	From   string    `json:"from"` // the server or the file
	Hash   string    `json:"hash"` // of the tool's own JSON
	// Capabilities are the capabilities that the client had declared to the server, on
	// which the list of a server may depend.
	Capabilities json.RawMessage `json:"client_capabilities,omitempty"`
}

// imported returns where a definition came from; nil when it was written here
// or nothing is on record.
func imported(ctx context.Context, db *store.DB, d registry.Definition) (*docImported, error) {
	if d.Tool == nil || d.Tool.Source == nil || d.Tool.Source.Hash == "" {
		return nil, nil //nolint:nilnil // written here is an answer, not an error
	}
	i, ok, err := db.ImportOf(ctx, d.Tool.Source.Hash)
	if err != nil || !ok {
		return nil, err
	}
	from := i.Label // of the newest import of these bytes, which several servers may have
	if label, _, ok := strings.Cut(d.Tool.Source.Ref, "#"); ok {
		from = label
	}
	return &docImported{At: i.At.UTC(), By: i.Actor, Format: i.Format, From: from, Hash: d.Tool.Source.Hash, Capabilities: i.Capabilities}, nil
}

func writeImported(p *output.Page, i *docImported) {
	if i == nil {
		return
	}
	p.Linef("imported from %s (%s) on %s by %s, hash %s", i.From, i.Format, i.At.Format(time.DateTime), i.By, output.Cut(i.Hash, 12))
	if len(i.Capabilities) > 0 {
		p.Linef("the client had declared %s", string(i.Capabilities))
	}
}

type docToolList struct {
	output.Head
	Tools []docTool `json:"tools"`
	Next  string    `json:"next,omitempty"`
}

type docAgentList struct {
	output.Head
	Agents []docTool `json:"agents"`
	Next   string    `json:"next,omitempty"`
}

type docListList struct {
	output.Head
	Lists []docTool `json:"lists"`
	Next  string    `json:"next,omitempty"`
}

func newTools(a *command.App) *cobra.Command {
	return newCatalog(a, registry.KindTool, &cobra.Command{
		Use: "tools [ID | SUBJECT]",
	})
}

func newAgents(a *command.App) *cobra.Command {
	return newCatalog(a, registry.KindAgent, &cobra.Command{
		Use: "agents [ID | SUBJECT]",
	})
}

func newLists(a *command.App) *cobra.Command {
	return newCatalog(a, registry.KindList, &cobra.Command{
		Use: "lists [NAME | SUBJECT]",
	})
}

// newCatalog completes a command that lists live definitions of a kind.
func newCatalog(a *command.App, kind registry.Kind, cmd *cobra.Command) *cobra.Command {
	var q catalog.Query
	var asOf string
	cmd.Args = command.Between(0, 1, "at most an id or a subject")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q.Kind = kind
		var err error
		if q.AsOf, err = command.ParseTime(asOf); err != nil {
			return err
		}
		if len(args) == 1 {
			return runOne(cmd.Context(), a, q, args[0])
		}
		return runCatalog(cmd.Context(), a, q)
	}
	f := cmd.Flags()
	f.BoolVar(&q.All, "all", false, "include hidden and deactivated tools")
	f.StringVar(&asOf, "as-of", "", "show the registry at `TIME` (RFC 3339)")
	f.StringVar(&q.Category, "category", "", "only those of `CATEGORY`")
	f.StringVar(&q.Filter, "filter", "", "only those with `TEXT` in id or name")
	f.IntVar(&q.Limit, "limit", 200, "at most `N` entries")
	f.StringVar(&q.After, "after", "", "continue a list at its `CURSOR`")
	return cmd
}

func newDocTool(e catalog.Entry) docTool {
	t := docTool{
		ID: e.Subject.ID, Subject: e.Subject.String(), Layer: string(e.Subject.Layer), Kind: e.ToolKind, Name: e.Name, Version: e.Version,
		Status: string(e.Status), Locked: e.Locked, ContentHash: e.ContentHash, Category: e.Category, Tier: e.Tier, Approval: e.Approval,
		Hides: output.Mapped(e.Hides, registry.Subject.String),
	}
	if e.Subject.Kind != registry.KindTool {
		t.Kind = string(e.Subject.Kind)
	}
	return t
}

// newDocCatalog is the document of a list, or of the one that was asked for.
func newDocCatalog(kind registry.Kind, docs []docTool, next string) any {
	switch kind {
	case registry.KindAgent:
		return docAgentList{Head: output.NewHead("agent.list"), Agents: docs, Next: next}
	case registry.KindList:
		return docListList{Head: output.NewHead("list.list"), Lists: docs, Next: next}
	case registry.KindTool, registry.KindSkill, registry.KindInstructions: // toolcrib files lists those
	}
	return docToolList{Head: output.NewHead("tool.list"), Tools: docs, Next: next}
}

func runCatalog(ctx context.Context, a *command.App, q catalog.Query) error {
	if q.Limit < 1 || q.Limit > review.MaxPage {
		return process.Usagef("--limit is %d; write 1 to %d", q.Limit, review.MaxPage)
	}
	db, view, err := a.DatabaseView(ctx)
	if err != nil {
		return err
	}
	q.View = view
	found, err := db.Catalog(ctx, q)
	if err != nil {
		return err
	}
	docs := output.Mapped(found.Entries, newDocTool)
	doc := newDocCatalog(q.Kind, docs, found.Next)
	return a.Print(doc, func(p *output.Page) {
		if len(docs) == 0 {
			p.Remark("Nothing is live here.")
			return
		}
		p.List([]string{"ID", "LAYER", "KIND", "VERSION", "CATEGORY", "APPROVAL", "", "NAME"}, output.Mapped(docs, func(d docTool) []string {
			return []string{d.ID, d.Layer, d.Kind, output.Itoa(d.Version), d.Category, d.Approval, lockMark(d), p.Cut(d.Name, 40)}
		}))
		if found.Next != "" {
			p.Remark("More: --after %s", found.Next)
		}
	})
}

func lock(locked bool) string {
	if locked {
		return ", Locked (core)"
	}
	return ""
}

func lockMark(d docTool) string {
	switch {
	case d.Locked:
		return "Locked (core)"
	case d.Status == string(registry.Deactivated):
		return "deactivated"
	case len(d.Hides) > 0:
		return "hides " + strings.Join(d.Hides, ", ")
	}
	return ""
}

func runOne(ctx context.Context, a *command.App, q catalog.Query, ref string) error {
	db, view, err := a.DatabaseView(ctx)
	if err != nil {
		return err
	}
	q.View = view
	e, definition, err := db.Find(ctx, q, ref)
	if successor, retired := shipped.Retired(ref); retired && q.Kind == registry.KindTool && errors.Is(err, proposals.ErrNotFound) {
		if successor == "" {
			return fmt.Errorf("%w: %s is retired, and it has no successor", proposals.ErrNotFound, ref)
		}
		return fmt.Errorf("%w: %s is retired; use %s", proposals.ErrNotFound, ref, successor)
	}
	if err != nil {
		return err
	}
	t := newDocTool(e)
	t.Definition = definition
	d, err := registry.DecodeDefinition(q.Kind, definition)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Subject, err)
	}
	if t.Imported, err = imported(ctx, db, d); err != nil {
		return err
	}
	doc := newDocCatalog(q.Kind, []docTool{t}, "")
	return a.Print(doc, func(p *output.Page) {
		status := string(e.Status)
		if e.Status == registry.Deactivated {
			status = fmt.Sprintf("deactivated in version %d", e.Version)
		}
		p.Linef("%s version %d, %s%s", e.Subject, e.Version, status, lock(e.Locked))
		p.Linef("content hash %s", e.ContentHash)
		writeImported(p, t.Imported)
		p.Blank()
		document.WriteDefinition(p, d)
	})
}
