// This file implements the history, blame, and log commands.

package catalog

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/store/records"
)

// docVersion is a version of a subject.
type docVersion struct {
	Version      int       `json:"version"`
	ContentHash  string    `json:"content_hash"`
	PrevHash     string    `json:"prev_hash"`
	Hash         string    `json:"hash"`
	Proposal     string    `json:"proposal"`
	Revision     int       `json:"revision"`
	Author       string    `json:"author"`
	Assessment   string    `json:"assessment"`
	ReviewDigest string    `json:"review_digest"`
	RulesVersion string    `json:"rules_version"`
	DecidedBy    string    `json:"decided_by"`
	DecidedAt    time.Time `json:"decided_at"`
	Note         string    `json:"note,omitempty"`
	Waivers      int       `json:"waivers"`
	// Shown states whether toolcrib had shown the content to the approver: shown, not_shown, or expected (the approver
	// passed the digest of the content). It is absent for versions that are shipped with toolcrib.
	Shown string `json:"shown,omitempty"`
	// Approvals lists the approvals that preceded the final approval by DecidedBy.
	Approvals []docApproval `json:"approvals,omitempty"`
}

type docApproval struct {
	By           string    `json:"by"`
	At           time.Time `json:"at"`
	Note         string    `json:"note,omitempty"`
	ReviewDigest string    `json:"review_digest"`
}

type docVersionList struct {
	output.Head
	Subject  string       `json:"subject"`
	Versions []docVersion `json:"versions"`
	Next     string       `json:"next,omitempty"`
}

func newHistory(a *command.App) *cobra.Command {
	var limit, before int
	cmd := &cobra.Command{
		Use:  "history SUBJECT",
		Args: command.ExactArgs(1, "a subject such as tool:user/scene_pacer, or the id of a live tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if limit < 1 {
				return process.Usagef("--limit must be at least 1 (got %d)", limit)
			}
			subject, err := a.Subject(ctx, args[0])
			if err != nil {
				return err
			}
			db, err := a.Database(ctx)
			if err != nil {
				return err
			}
			versions, err := db.Versions(ctx, subject, before, limit+1)
			if err != nil {
				return err
			}
			doc := docVersionList{Head: output.NewHead("version.list"), Subject: subject.String(), Versions: []docVersion{}}
			versions, next := output.CutPage(versions, limit, func(v history.Version) int64 { return int64(v.Number) })
			if next > 0 {
				doc.Next = output.Itoa(int(next))
			}
			shown, err := db.Showings(ctx, lists.Map(versions, func(v history.Version) string { return v.Proposal }))
			if err != nil {
				return err
			}
			for _, v := range versions {
				doc.Versions = append(doc.Versions, docVersion{
					Version: v.Number, ContentHash: v.ContentHash, PrevHash: v.PrevHash, Hash: v.Hash, Proposal: v.Proposal, Revision: v.Revision,
					Author: v.Author, Assessment: v.Assessment, ReviewDigest: v.ReviewDigest, RulesVersion: v.RulesVersion,
					DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt, Note: v.Note, Waivers: len(v.Waivers), Shown: string(shown[v.Proposal]),
					Approvals: lists.Map(v.Approvals, func(a history.Approval) docApproval { return docApproval{a.By, a.At, a.Note, a.ReviewDigest} }),
				})
			}
			return a.Print(doc, func(p *output.Page) {
				p.List([]string{"VERSION", "DECIDED", "BY", "AUTHOR", "CONTENT", "HASH", "", "NOTE"}, lists.Map(versions, func(v history.Version) []string {
					return []string{output.Itoa(v.Number), output.Timestamp(v.DecidedAt), strings.Join(v.Approvers(), ", "), v.Author, v.ContentHash[:12], v.Hash[:12], document.NotShown(shown[v.Proposal]), p.Cut(v.Note, 50)}
				}))
				p.More("before", next)
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 200, "at most `N` entries")
	cmd.Flags().IntVar(&before, "before", 0, "only versions before version `N`")
	return cmd
}

type docBlame struct {
	output.Head
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

func newBlame(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "blame SUBJECT [FIELD]",
		Args: command.ArgsBetween(1, 2, "a subject, and optionally a field"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			field := strings.Join(args[1:], "")
			subject, err := a.Subject(ctx, args[0])
			if err != nil {
				return err
			}
			db, err := a.Database(ctx)
			if err != nil {
				return err
			}
			versions := map[int]history.Version{}
			var blame *history.Blame
			err = db.EachVersion(ctx, subject, func(v history.Version) error {
				if len(versions) == 0 {
					if field, err = fieldOf(v, field); err != nil {
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
			doc := docBlame{Head: output.NewHead("blame"), Subject: subject.String(), Field: field, Lines: []docBlameLine{}}
			for i, l := range blame.Lines() {
				v := versions[l.Version]
				doc.Lines = append(doc.Lines, docBlameLine{
					Line: i + 1, Text: l.Text, Version: l.Version, Proposal: v.Proposal, Author: v.Author, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt,
				})
			}
			if len(doc.Lines) == 0 {
				return command.NotFoundf("field %s of %s", field, subject)
			}
			return a.Print(doc, func(p *output.Page) {
				p.List([]string{"", "DECIDED", "AUTHOR", "BY", "LINE", field}, lists.Map(doc.Lines, func(l docBlameLine) []string {
					return []string{"v" + output.Itoa(l.Version), p.Day(l.DecidedAt), l.Author, l.DecidedBy, output.Itoa(l.Line), l.Text}
				}))
			})
		},
	}
}

// fieldOf converts field, which the user entered, to the path of a field in the definition of v. If field is the name
// of a file, fieldOf returns the path of this file in the definition. If field is empty, it returns the path of the
// main content, such as the prompt of a tool.
func fieldOf(v history.Version, field string) (string, error) {
	d, err := registry.DecodeDefinition(v.Subject.Kind, v.Definition)
	if err != nil {
		return "", err
	}
	f := d.Folder()
	switch {
	case f != nil && field == "" && d.Skill != nil:
		field = registry.SkillFile
	case f != nil && field == "":
		field = f.Paths()[0]
	case field != "":
	case d.Agent != nil:
		return "promptTemplate", nil
	case d.List != nil && len(d.List.Tools) > 0:
		return "tools", nil
	case d.List != nil, d.Tool != nil && d.Tool.Kind == registry.ActionTool:
		return "description", nil
	default:
		return "prompt", nil
	}
	if f != nil {
		if path, ok := f.Field(field); ok {
			return path, nil
		}
	}
	return field, nil
}

type docEventList struct {
	output.Head
	Events []history.Event `json:"events"`
	Next   int64           `json:"next,omitempty"`
}

func newLog(a *command.App) *cobra.Command {
	q := records.EventQuery{}
	cmd := &cobra.Command{
		Use:     "log [ID | SUBJECT]",
		Aliases: []string{"audit"},
		Args:    command.ArgsBetween(0, 1, "at most one proposal number or subject"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if err := command.CheckPageLimit(q.Limit); err != nil {
				return err
			}
			desk, err := a.OpenDesk(ctx)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				subject, err := registry.ParseSubject(args[0])
				if err == nil {
					q.Subject = subject.String()
				} else if ids, err := a.IDs(ctx, desk, args); err == nil && len(ids) == 1 {
					q.Proposal = string(ids[0])
				} else if err == nil {
					return process.Usagef("%s refers to %d proposals; specify a single proposal", args[0], len(ids))
				} else if subject, noSubject := a.Subject(ctx, args[0]); noSubject == nil && errors.Is(err, proposals.ErrNotFound) {
					q.Subject = subject.String()
				} else {
					return err
				}
			}
			q.Limit++ // one more than the page, to detect whether another page exists
			events, err := a.DB.Events(ctx, q)
			if err != nil {
				return err
			}
			doc := docEventList{Head: output.NewHead("event.list")}
			events, doc.Next = output.CutPage(events, q.Limit-1, func(e history.Event) int64 { return e.Seq })
			doc.Events = append([]history.Event{}, events...)
			return a.Print(doc, func(p *output.Page) {
				p.List([]string{"ENTRY", "TIME", "ACTOR", "ACT", "SUBJECT", "DATA"}, lists.Map(events, func(e history.Event) []string {
					return []string{output.Itoa(int(e.Seq)), output.Timestamp(e.At), e.Actor, e.Act, p.Cut(e.Subject, 44), string(e.Data)}
				}))
				p.More("before", doc.Next)
			})
		},
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 50, "at most `N` entries")
	cmd.Flags().Int64Var(&q.Before, "before", 0, "only entries with a number below `N`")
	return cmd
}
