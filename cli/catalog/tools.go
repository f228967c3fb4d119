// Package catalog implements the commands that read the registry. They list live definitions, resolve the tools of an
// agent, and show the history of definitions.
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
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/review/records"
	"toolcrib/store/catalog"
)

// Family returns the commands "tools", "agents", "lists", "reach", "history", "blame", "log", and "resolve".
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newCatalog(registry.KindTool, "tools [ID | SUBJECT]")},
			{Group: command.GroupRegistry, New: newCatalog(registry.KindAgent, "agents [ID | SUBJECT]")},
			{Group: command.GroupRegistry, New: newCatalog(registry.KindList, "lists [NAME | SUBJECT]")},
			{Group: command.GroupRegistry, New: newReach},
			{Group: command.GroupRegistry, New: newHistory},
			{Group: command.GroupRegistry, New: newBlame},
			{Group: command.GroupRegistry, New: newLog},
			{Group: command.GroupRegistry, New: newResolve},
		},
		Documents: map[string]any{
			"agent.list":   docAgentList{},
			"blame":        docBlame{},
			"event.list":   docEventList{},
			"list.list":    docListList{},
			"reach":        docReach{},
			"resolution":   docResolution{},
			"tool.list":    docToolList{},
			"version.list": docVersionList{},
		},
	}
}

// docTool is a live definition in a list. Definition is set only if the user requested a single definition.
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
	Imported    *docImported    `json:"imported,omitempty"` // present together with Definition if the tool was imported
}

// docImported records when, by whom, and from where a definition was imported.
type docImported struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Format string    `json:"format"`
	From   string    `json:"from"` // name of the server or file
	Hash   string    `json:"hash"` // hash of the imported JSON
	// Capabilities lists the capabilities that the client declared when it requested the tools. The tools of a server
	// may depend on these capabilities.
	Capabilities json.RawMessage `json:"client_capabilities,omitempty"`
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

// newCatalog returns the constructor of a command that lists the live definitions of the given kind.
func newCatalog(kind registry.Kind, use string) func(a *command.App) *cobra.Command {
	return func(a *command.App) *cobra.Command {
		q := catalog.Query{Kind: kind}
		var asOf, source string
		cmd := &cobra.Command{
			Use:  use,
			Args: command.ArgsBetween(0, 1, "at most one id or subject"),
			RunE: func(cmd *cobra.Command, args []string) error {
				var err error
				if q.AsOf, err = command.ParseTime(asOf); err != nil {
					return err
				}
				if source != "" && (len(args) == 0 || asOf != "") {
					return process.Usagef("--source needs one live definition, and cannot be combined with --as-of")
				}
				if len(args) == 0 {
					if err := command.CheckPageLimit(q.Limit); err != nil {
						return err
					}
				}
				if _, err := a.Database(cmd.Context()); err != nil {
					return err
				}
				q.View = a.Config.Layer.View()
				if len(args) == 1 {
					return runOne(cmd.Context(), a, q, args[0], source)
				}
				return runCatalog(cmd.Context(), a, q)
			},
		}
		f := cmd.Flags()
		f.BoolVar(&q.All, "all", false, "include hidden and deactivated tools")
		f.StringVar(&asOf, "as-of", "", "show the registry at `TIME` (RFC 3339)")
		f.StringVar(&q.Category, "category", "", "only definitions in the `CATEGORY`")
		f.StringVar(&q.Filter, "filter", "", "only definitions with `TEXT` in their id or name")
		f.IntVar(&q.Limit, "limit", 200, "at most `N` entries")
		f.StringVar(&source, "source", "", "write a proposal to modify the definition to `FILE` (.md or .json), - for standard output")
		f.StringVar(&q.After, "after", "", "continue the list at the `CURSOR` of the previous page")
		return cmd
	}
}

func newDocTool(e catalog.Entry) docTool {
	t := docTool{
		ID: e.Subject.ID, Subject: e.Subject.String(), Layer: string(e.Subject.Layer), Kind: e.ToolKind, Name: e.Name, Version: e.Version,
		Status: string(e.Status), Locked: e.Locked, ContentHash: e.ContentHash, Category: e.Category, Tier: e.Tier, Approval: e.Approval,
		Hides: lists.Map(e.Hides, registry.Subject.String),
	}
	if e.Subject.Kind != registry.KindTool {
		t.Kind = string(e.Subject.Kind)
	}
	return t
}

// newDocCatalog returns a document that lists the definitions in docs, which all have the given kind.
func newDocCatalog(kind registry.Kind, docs []docTool, nextCursor string) any {
	switch kind {
	case registry.KindAgent:
		return docAgentList{Head: output.NewHead("agent.list"), Agents: docs, Next: nextCursor}
	case registry.KindList:
		return docListList{Head: output.NewHead("list.list"), Lists: docs, Next: nextCursor}
	case registry.KindTool, registry.KindSkill, registry.KindInstructions: // skills and instruction files are shown one at a time; the files command lists them
	}
	return docToolList{Head: output.NewHead("tool.list"), Tools: docs, Next: nextCursor}
}

func runCatalog(ctx context.Context, a *command.App, q catalog.Query) error {
	found, err := a.DB.Catalog(ctx, q)
	if err != nil {
		return err
	}
	docs := lists.Map(found.Entries, newDocTool)
	doc := newDocCatalog(q.Kind, docs, found.Next)
	return a.Print(doc, func(p *output.Page) {
		if len(docs) == 0 {
			p.Remark("No live definitions.")
			return
		}
		p.List([]string{"ID", "LAYER", "KIND", "VERSION", "CATEGORY", "APPROVAL", "", "NAME"}, lists.Map(docs, func(d docTool) []string {
			mark := ""
			switch {
			case d.Locked:
				mark = "Locked (core)"
			case d.Status == string(registry.Deactivated):
				mark = "deactivated"
			case len(d.Hides) > 0:
				mark = "hides " + strings.Join(d.Hides, ", ")
			}
			return []string{d.ID, d.Layer, d.Kind, output.Itoa(d.Version), d.Category, d.Approval, mark, p.Cut(d.Name, 40)}
		}))
		p.More("after", found.Next)
	})
}

// runOne prints the live definition that ref refers to. A subject can be of any kind. If source is not "", runOne
// instead writes a proposal to modify the definition to this file.
func runOne(ctx context.Context, a *command.App, q catalog.Query, ref, source string) error {
	if s, err := registry.ParseSubject(ref); err == nil {
		q.Kind = s.Kind
	}
	e, definition, err := a.DB.Find(ctx, q, ref)
	if successor, retired := shipped.Retired(ref); retired && q.Kind == registry.KindTool && errors.Is(err, proposals.ErrNotFound) {
		if successor == "" {
			return proposals.Reason(proposals.ErrNotFound, "%s is retired and has no successor", ref)
		}
		return proposals.Reason(proposals.ErrNotFound, "%s is retired; use %s", ref, successor)
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
	if source != "" && e.Locked {
		return fmt.Errorf("%w: %s; create a copy with toolcrib fork %s", review.ErrLocked, e.Subject, e.Subject.ID)
	}
	if source != "" {
		return writeModification(ctx, a, e, d, source)
	}
	if d.Tool != nil && d.Tool.Source != nil && d.Tool.Source.Hash != "" {
		i, ok, err := a.DB.ImportOf(ctx, d.Tool.Source.Hash)
		if err != nil {
			return err
		}
		if ok {
			from := i.Label // label of the newest import of this JSON, possibly from another server that lists the same JSON
			if label, _, ok := strings.Cut(d.Tool.Source.Ref, "#"); ok {
				from = label
			}
			t.Imported = &docImported{At: i.At.UTC(), By: i.Actor, Format: i.Format, From: from, Hash: d.Tool.Source.Hash, Capabilities: i.Capabilities}
		}
	}
	doc := newDocCatalog(q.Kind, []docTool{t}, "")
	return a.Print(doc, func(p *output.Page) {
		status := string(e.Status)
		if e.Status == registry.Deactivated {
			status = fmt.Sprintf("deactivated in version %d", e.Version)
		}
		if e.Locked {
			status += ", Locked (core)"
		}
		p.Linef("%s version %d, %s", e.Subject, e.Version, status)
		p.Linef("content hash %s", e.ContentHash)
		if i := t.Imported; i != nil {
			p.Linef("imported from %s (%s) on %s by %s, hash %s", i.From, i.Format, i.At.Format(time.DateTime), i.By, output.Cut(i.Hash, 12))
			if len(i.Capabilities) > 0 {
				p.Linef("the client had declared the capabilities %s", string(i.Capabilities))
			}
		}
		p.Blank()
		document.WriteDefinition(p, d)
	})
}

// writeModification writes a proposal to modify the live definition d of e to file. The proposal has the examples and
// test cases of the live version.
func writeModification(ctx context.Context, a *command.App, e catalog.Entry, d registry.Definition, file string) error {
	draft, err := command.ReadView(ctx, a.DB.View, func(r review.Reader) (draft proposals.Draft, err error) {
		v, err := r.Version(ctx, e.Subject, e.Version)
		if err != nil {
			return draft, err
		}
		return records.DraftOf(ctx, r, v)
	})
	if err != nil {
		return err
	}
	draft.Definition = d
	if err = a.WriteDraft(draft, file); err == nil && file != "-" {
		a.Note("Wrote version %d of %s to %s. Change it, add a rationale, and then run: toolcrib propose %[3]s", e.Version, e.Subject, file)
	}
	return err
}
