// This file implements the exclude command, which excludes parts of an imported tool from its pin. The pin is the hash
// to which an approval binds the JSON of the tool. The file also checks new texts of excluded parts.

package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/intake"
	"toolcrib/review/rules"
)

func newExclude(a *command.App) *cobra.Command {
	var part registry.Exclusion
	var none bool
	cmd := &cobra.Command{
		Use:  "exclude TOOL [--path PATH [--pattern RE2] | --none]",
		Args: command.ExactArgs(1, "a tool, or the number of the proposal that imports it"),
		RunE: a.InSession(func(ctx context.Context, b command.Session, args []string) error {
			if none == (part.Path != "") && none || part.Pattern != "" && part.Path == "" {
				return process.Usagef("use --path PATH, optionally with --pattern RE2, or use --none without other flags")
			}
			t, err := findTool(ctx, b, a, args[0])
			if err != nil {
				return err
			}
			tool := *t.draft.Definition.Tool
			item, err := wire.ReadItem(wire.MCP, t.snapshots[len(t.snapshots)-1])
			if err != nil {
				return err
			}
			doc := docExcluded{Head: output.NewHead("exclusion"), Subject: t.draft.Subject.String(), Excluded: append([]registry.Exclusion{}, tool.Source.Excluded...), Suggestions: []wire.Suggestion{}, DryRun: a.Flags.DryRun}
			if part.Path == "" && !none {
				var suggested []wire.Suggestion
				newest := t.snapshots[len(t.snapshots)-1]
				for _, before := range slices.Backward(t.snapshots) {
					if suggested = wire.Suggest(before, newest); len(suggested) > 0 {
						break
					}
				}
				doc.Suggestions = append(doc.Suggestions, suggested...)
				return a.Print(doc, func(p *output.Page) {
					for _, e := range item.Excluded(tool.Source.Excluded) {
						p.Linef("Excluded from the pin of %s: %s.", t.draft.Subject, e)
					}
					document.WriteSuggestions(p, suggested, args[0])
					if len(suggested)+len(doc.Excluded) == 0 {
						p.Linef("Nothing is excluded from the pin of %s. No exclusion is suggested, because no two stored lists of the server differ only in short parts of this tool.", t.draft.Subject)
					}
				})
			}
			if none {
				doc.Excluded = nil
			} else if !slices.Contains(doc.Excluded, part) {
				doc.Excluded = append(doc.Excluded, part)
				try := registry.Source{Type: registry.SourceMCP, Ref: tool.Source.Ref, Hash: tool.Source.Hash, Masked: tool.Source.Hash, Excluded: doc.Excluded}
				if ps := try.Problems(); len(ps) > 0 {
					return process.Usagef("%s", ps[0].Message)
				}
				if len(item.Excluded([]registry.Exclusion{part})) == 0 {
					return fmt.Errorf("nothing to exclude: the tool has no %s, or the text to exclude has more than %d characters", part, registry.MaxExcluded)
				}
			}
			tool.Source = item.Exclude(tool.Source, doc.Excluded)
			t.draft.Definition.Tool = &tool
			var made []proposals.Proposal
			if t.open != nil {
				made = make([]proposals.Proposal, 1)
				made[0], err = b.Desk.Drafting.Revise(ctx, b.Actor, t.open.ID, t.draft)
			} else {
				made, err = b.Desk.Drafting.Propose(ctx, b.Actor, []proposals.Draft{t.draft}, true)
			}
			if err != nil {
				return err
			}
			doc.Proposal = string(made[0].ID)
			return a.Print(doc, func(p *output.Page) {
				p.Linef("%s", document.Moved(made[0]))
				for _, e := range item.Excluded(doc.Excluded) {
					p.Linef("Excluded from the pin of the tool: %s.", e)
				}
				if len(doc.Excluded) > 0 {
					p.Linef("The server can change the excluded text without a new approval. The rules check each change, and the guard withholds the tool if they find something.")
				}
				a.Closing(p)
			})
		}),
	}
	cmd.Flags().StringVar(&part.Path, "path", "", "exclude the field at `PATH` of the server's JSON, such as _meta.requestId")
	cmd.Flags().StringVar(&part.Pattern, "pattern", "", "exclude only the matches of the regular expression `RE2` in the field")
	cmd.Flags().BoolVar(&none, "none", false, "remove all exclusions")
	return cmd
}

type docExcluded struct {
	output.Head
	Subject     string               `json:"subject"`
	Excluded    []registry.Exclusion `json:"excluded"`
	Suggestions []wire.Suggestion    `json:"suggestions"` // parts that differ between two lists of the server
	Proposal    string               `json:"proposal,omitempty"`
	DryRun      bool                 `json:"dry_run,omitempty"`
}

// importedTool is an imported tool for which the user wants to change the exclusions. It contains a draft of this
// change.
type importedTool struct {
	draft     proposals.Draft
	open      *proposals.Proposal // open proposal for the new tool or for a change to the tool, or nil
	snapshots [][]byte            // JSON of the tool, newest last
}

// findTool returns the imported tool that ref denotes. ref is the id of the tool, or the number of a proposal for the
// tool.
func findTool(ctx context.Context, b command.Session, a *command.App, ref string) (t importedTool, err error) {
	var subject registry.Subject
	if ids, resolveErr := a.IDs(ctx, b.Desk, []string{ref}); resolveErr == nil {
		t.open = new(proposals.Proposal)
		t.open.ID = ids[0]
	} else if subject, err = a.Subject(ctx, ref); err != nil {
		return t, err
	}
	err = a.DB.View(ctx, func(r review.Reader) error {
		var sources []string
		if t.open != nil {
			if *t.open, err = r.Proposal(ctx, t.open.ID); err != nil {
				return err
			}
			subject = t.open.Subject
			for n := 1; n <= t.open.Revision; n++ {
				rev, err := r.Revision(ctx, t.open.ID, n)
				if err != nil {
					return err
				}
				t.draft = rev.Draft
				if tool := rev.Draft.Definition.Tool; tool != nil && tool.Source != nil {
					sources = append(sources, tool.Source.Hash)
				}
			}
		}
		live, err := impact.Live(ctx, r, subject)
		if err != nil {
			return err
		}
		if live != nil && live.Definition.Tool != nil && live.Definition.Tool.Source != nil {
			sources = append([]string{live.Definition.Tool.Source.Hash}, sources...)
		}
		if t.open == nil || !t.open.State.Open() {
			t.open = nil
			if live == nil {
				return command.NotFoundf("live tool %s", ref)
			}
			t.draft = intake.Excluding(*live)
		}
		if tool := t.draft.Definition.Tool; tool == nil || tool.Source == nil || tool.Source.Type != registry.SourceMCP {
			return fmt.Errorf("exclusions apply only to tools of MCP servers; %s was not imported from an MCP server", subject)
		}
		for _, hash := range sources {
			raw, ok, err := r.Raw(ctx, hash)
			if err != nil {
				return err
			}
			if ok {
				t.snapshots = append(t.snapshots, raw)
			}
		}
		if len(t.snapshots) == 0 {
			return errors.New("this database does not contain the imported JSON of the tool; import the tool again")
		}
		return nil
	})
	return t, err
}

// Vet checks a live tool of the given server after the server has changed excluded parts of the tool. raw is the new
// JSON of the tool. Vet applies the rules for a proposal that changes the tool to raw, and returns an error that
// describes the first finding. live contains all live definitions, including the tool.
func Vet(ctx context.Context, a *command.App, server string, live []registry.Live, raw json.RawMessage) error {
	item, err := wire.ReadItem(wire.MCP, raw)
	if err != nil {
		return err
	}
	set, err := a.Config.RuleSet()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(live, func(l registry.Live) bool {
		t := l.Definition.Tool
		return t != nil && t.Source != nil && t.Source.Ref == server+"#"+item.Name && len(t.Source.Excluded) > 0
	})
	if at < 0 {
		return errors.New("nothing is excluded from the pin of the approved tool")
	}
	approved := live[at]
	plain, excluded := *approved.Definition.Tool, approved.Definition.Tool.Source.Excluded
	plain.Source = item.Exclude(plain.Source, nil)
	live = slices.Clone(live)
	live[at].Definition.Tool = &plain
	doc := wire.Document{Format: wire.MCP, Items: []wire.Item{item}}
	for _, s := range intake.Plan(doc, intake.Origin{Label: server, Server: true, Layer: approved.Subject.Layer}, intake.Live{All: live, Raw: func(string) ([]byte, bool) { return nil, false }}) {
		if s.Draft == nil || s.Name != item.Name {
			continue
		}
		found, err := set.Check(ctx, &rules.Change{Draft: *s.Draft, Before: &approved, Source: raw, World: rules.Memory(live)})
		if err != nil {
			return err
		}
		for _, f := range found {
			in := slices.ContainsFunc(excluded, func(e registry.Exclusion) bool {
				return strings.HasPrefix(f.Path, "definition."+e.Path) || strings.HasPrefix(f.Path, wire.SourcePath+e.Path)
			})
			if !f.Carried && (in || f.Severity != rules.Info) {
				return fmt.Errorf("%s: %s", f.Rule, f.Message)
			}
		}
	}
	return nil
}
