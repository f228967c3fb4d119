package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/history"
	"toolcrib/registry"
)

// docVersion is one version of a subject.
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
	// Shown is how the approver knew it: expected, shown or not_shown; absent
	// for what shipped.
	Shown string `json:"shown,omitempty"`
	// Approvals are those before that of DecidedBy.
	Approvals []docApproval `json:"approvals,omitempty"`
}

type docApproval struct {
	By           string    `json:"by"`
	At           time.Time `json:"at"`
	Note         string    `json:"note,omitempty"`
	ReviewDigest string    `json:"review_digest"`
}

type docVersionList struct {
	docHead
	Subject  string       `json:"subject"`
	Versions []docVersion `json:"versions"`
	Next     string       `json:"next,omitempty"`
}

func newDocVersion(v history.Version) docVersion {
	return docVersion{
		Version: v.Number, ContentHash: v.ContentHash, PrevHash: v.PrevHash, Hash: v.Hash, Proposal: v.Proposal, Revision: v.Revision,
		Author: v.Author, Assessment: v.Assessment, ReviewDigest: v.ReviewDigest, RulesVersion: v.RulesVersion,
		DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt, Note: v.Note, Waivers: len(v.Waivers),
		Approvals: mapped(v.Approvals, func(a history.Approval) docApproval { return docApproval{a.By, a.At, a.Note, a.ReviewDigest} }),
	}
}

func newHistory(a *app) *cobra.Command {
	var limit, before int
	cmd := &cobra.Command{
		Use:   "history SUBJECT",
		Short: "List the versions of a tool or an agent, newest first",
		Long: `List every approved version: number, time, approver, proposal, and hashes.
Versions never change; toolcrib verify recomputes the chain. SUBJECT is a
subject such as tool:user/scene_pacer, or the id of a live tool.`,
		Example: `  toolcrib history scene_pacer
  toolcrib history agent:global/assistant --json`,
		Args: exact(1, "a subject such as tool:user/scene_pacer, or the id of a live tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runHistory(cmd.Context(), a, args[0], before, limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 200, "at most `N` entries")
	cmd.Flags().IntVar(&before, "before", 0, "only those before version `N`")
	return cmd
}

// subject reads a subject, or finds the one that an id means in the view.
func (a *app) subject(ctx context.Context, ref string) (registry.Subject, error) {
	if s, err := registry.ParseSubject(ref); err == nil {
		return s, nil
	} else if strings.ContainsAny(ref, ":/ ") {
		return registry.Subject{}, err
	}
	db, view, err := a.databaseView(ctx)
	if err != nil {
		return registry.Subject{}, err
	}
	return db.Subject(ctx, view, ref)
}

func runHistory(ctx context.Context, a *app, ref string, before, limit int) error {
	if limit < 1 {
		return usagef("--limit is %d; write 1 or more", limit)
	}
	subject, err := a.subject(ctx, ref)
	if err != nil {
		return err
	}
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	versions, err := db.Versions(ctx, subject, before, limit+1)
	if err != nil {
		return err
	}
	doc := docVersionList{docHead: head("version.list"), Subject: subject.String(), Versions: []docVersion{}}
	if len(versions) > limit {
		versions = versions[:limit]
		doc.Next = itoa(versions[limit-1].Number)
	}
	shown, err := db.Showings(ctx, mapped(versions, func(v history.Version) string { return v.Proposal }))
	if err != nil {
		return err
	}
	for _, v := range versions {
		one := newDocVersion(v)
		one.Shown = string(shown[v.Proposal])
		doc.Versions = append(doc.Versions, one)
	}
	return a.print(doc, func(p *page) {
		p.list([]string{"VERSION", "DECIDED", "BY", "AUTHOR", "CONTENT", "HASH", "", "NOTE"}, mapped(versions, func(v history.Version) []string {
			return []string{itoa(v.Number), timestamp(v.DecidedAt), strings.Join(v.Approvers(), ", "), v.Author, v.ContentHash[:12], v.Hash[:12], markNotShown(shown[v.Proposal]), p.cut(v.Note, 50)}
		}))
		if doc.Next != "" {
			p.remark("More: --before %s", doc.Next)
		}
	})
}
