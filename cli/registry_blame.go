package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/history"
	"toolcrib/registry"
)

type docBlame struct {
	docHead
	Subject string         `json:"subject"`
	Field   string         `json:"field"`
	Lines   []docBlameLine `json:"lines"`
}

type docBlameLine struct {
	Line      int       `json:"line"`
	Text      string    `json:"text"`
	Version   int       `json:"version"`
	Proposal  string    `json:"proposal"`
	Author    string    `json:"author"`
	DecidedBy string    `json:"decided_by"`
	DecidedAt time.Time `json:"decided_at"`
}

func newBlame(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "blame SUBJECT [FIELD]",
		Short: "Show the version that introduced each line of a field",
		Long: `Print a field of the live definition with the version, author, and approver of
each line. FIELD is a JSON path. Default: the prompt, the description of an
action tool, the prompt template of an agent, or the tools of an allow-list.`,
		Example: `  toolcrib blame scene_pacer
  toolcrib blame tool:user/scene_pacer goals`,
		Args: between(1, 2, "a subject, and maybe a field"),
		RunE: func(cmd *cobra.Command, args []string) error {
			field := ""
			if len(args) == 2 {
				field = args[1]
			}
			return runBlame(cmd.Context(), a, args[0], field)
		},
	}
}

func runBlame(ctx context.Context, a *app, ref, field string) error {
	subject, err := a.subject(ctx, ref)
	if err != nil {
		return err
	}
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	versions := map[int]history.Version{}
	blame := history.NewBlame(field)
	err = db.EachVersion(ctx, subject, func(v history.Version) error {
		if field == "" {
			if field, err = mainField(v); err != nil {
				return err
			}
			blame = history.NewBlame(field)
		}
		versions[v.Number] = v
		return blame.Add(v)
	})
	if err != nil {
		return err
	}
	doc := docBlame{docHead: head("blame"), Subject: subject.String(), Field: field, Lines: []docBlameLine{}}
	for i, l := range blame.Lines() {
		v := versions[l.Version]
		doc.Lines = append(doc.Lines, docBlameLine{
			Line: i + 1, Text: l.Text, Version: l.Version, Proposal: v.Proposal, Author: v.Author, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt,
		})
	}
	if len(doc.Lines) == 0 {
		return notFoundf("field %s of %s", field, subject)
	}
	return a.print(doc, func(p *page) {
		p.list([]string{"", "DECIDED", "AUTHOR", "BY", "LINE", field}, mapped(doc.Lines, func(l docBlameLine) []string {
			return []string{"v" + itoa(l.Version), p.day(l.DecidedAt), l.Author, l.DecidedBy, itoa(l.Line), l.Text}
		}))
	})
}

// mainField is the field that a definition is mostly about.
func mainField(v history.Version) (string, error) {
	d, err := registry.DecodeDefinition(v.Subject.Kind, v.Definition)
	if err != nil {
		return "", err
	}
	switch {
	case d.Agent != nil:
		return "promptTemplate", nil
	case d.List != nil && len(d.List.Tools) > 0:
		return "tools", nil
	case d.List != nil:
		return "description", nil
	case d.Tool.Kind == registry.ActionTool:
		return "description", nil
	}
	return "prompt", nil
}
