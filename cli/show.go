package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

func newShow(a *app) *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show everything about a proposal",
		Long: `Show a proposal: its content, the assessment with its findings, the thread, the
revisions, and the review digest that an approval can be tied to.

With --source FILE the current revision is written to FILE, as Markdown or JSON
by its name, to be edited and handed to toolcrib revise; - is standard output,
in JSON. Showing a proposal changes nothing.`,
		Example: `  toolcrib show 0199f3
  toolcrib show 0199f3 --json
  toolcrib show 0199f3 --source revised.md`,
		Args: exact(1, "the id of a proposal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := a.bind(cmd.Context())
			if err != nil {
				return err
			}
			d, err := b.show(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			if source != "" {
				if err := a.writeDraft(d.Revision.Draft, source); err != nil {
					return err
				}
				if source == "-" {
					return nil
				}
				a.note("Wrote revision %d of %s to %s.", d.Revision.Number, d.Proposal.Subject, source)
				return nil
			}
			return a.printDossier(d)
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "write the current revision to `FILE` (.md or .json), - for standard output")
	return cmd
}

func (b bound) show(ctx context.Context, a *app, ref string) (review.Dossier, error) {
	ids, err := a.ids(ctx, b.desk, []string{ref})
	if err != nil {
		return review.Dossier{}, err
	}
	if len(ids) != 1 {
		return review.Dossier{}, usagef("%s names %d proposals; name one", ref, len(ids))
	}
	return b.desk.Show(ctx, b.actor, ids[0])
}

func newDocDossier(d review.Dossier) docDossier {
	doc := docWholeDetail{
		docProposal: newDocProposal(d.Proposal), ReviewDigest: d.Digest, RestoreVersion: d.Revision.Draft.RestoreVersion,
		Definition: d.Revision.Draft.Definition.Canonical(), Source: newDocSource(d.Revision.Draft.Definition, d.Source), Rationale: d.Revision.Draft.Rationale,
		Examples: d.Revision.Draft.Examples, TestCases: d.Revision.Draft.TestCases,
		Comments: []docComment{}, Revisions: []docRevision{}, Decisions: []docDecision{}, Waivers: []docWaiver{},
		Others: newDocProposalRefs(d.Others), Members: newDocProposalRefs(d.Members), Rendered: d.Rendered, Policy: newDocPolicy(d.Policy), Obstacles: []string{},
	}
	if doc.Definition == nil {
		doc.Definition = []byte("null")
	}
	if doc.Examples == nil {
		doc.Examples = []string{}
	}
	if doc.TestCases == nil {
		doc.TestCases = []proposals.TestCase{}
	}
	if doc.Rendered == nil {
		doc.Rendered = map[string]string{}
	}
	if as := d.Assessment(); as != nil {
		doc.Assessment = newDocAssessment(*as, d)
	}
	for _, c := range d.Comments {
		doc.Comments = append(doc.Comments, newDocComment(c))
	}
	for _, r := range d.Revisions {
		doc.Revisions = append(doc.Revisions, docRevision{Revision: r.Number, ContentHash: r.ContentHash, BaseVersion: r.Draft.Base(), Author: r.Author.String(), CreatedAt: r.CreatedAt})
	}
	for _, decision := range d.Decisions {
		doc.Decisions = append(doc.Decisions, newDocDecision(decision))
	}
	for _, w := range d.Waivers {
		doc.Waivers = append(doc.Waivers, docWaiver{ID: w.ID, Rule: w.Rule, Path: w.Path, Reason: w.Reason, By: w.By, CreatedAt: w.At, ExpiresAt: w.ExpiresAt})
	}
	if d.Issue != nil {
		doc.IssueThread = &docIssue{
			Number: d.Issue.Number, Title: d.Issue.Title, Assignee: d.Issue.Assignee, Status: string(d.Issue.Status), Labels: d.Issue.Labels,
			Body: proposals.IssueBody(d.Revision),
		}
	}
	for _, o := range d.Obstacles {
		doc.Obstacles = append(doc.Obstacles, o.Error())
	}
	return docDossier{Schema: schema, Kind: "proposal", Proposal: doc}
}

func newDocAssessment(as review.Assessment, d review.Dossier) *docAssessment {
	doc := &docAssessment{
		ID: as.ID, Revision: as.Revision, ContentHash: as.ContentHash, Reviewer: as.Reviewer.String(), Recommendation: string(as.Recommendation),
		Comment: as.Report.Comment, BuiltinComment: as.Report.Builtin, Findings: []docFinding{}, Problems: as.Report.Problems, RulesVersion: as.RulesVersion, CreatedAt: as.At,
	}
	doc.Harness = []docOutcome{}
	for _, r := range as.Report.Harness {
		doc.Harness = append(doc.Harness, docOutcome{Name: r.Name, Expect: string(r.Expect), Outcome: string(r.Outcome), Reason: r.Reason, Live: r.Live})
	}
	for _, s := range d.Standing {
		doc.Findings = append(doc.Findings, newDocFinding(d.Proposal.Subject.String(), s))
	}
	return doc
}

func (a *app) printDossier(d review.Dossier) error {
	return a.print(newDocDossier(d), func(p *page) {
		writeHead(p, d)
		writeContent(p, d.Revision.Draft)
		writeSource(p, d)
		writeAssessment(p, d)
		writeThread(p, d)
		writeEnd(p, d)
	})
}

func writeHead(p *page, d review.Dossier) {
	m := d.Proposal
	title := m.Title
	if d.Issue != nil {
		title = fmt.Sprintf("#%d %s", d.Issue.Number, d.Issue.Title)
	}
	p.linef("%s", title)
	p.linef("%s %s, revision %d by %s, against %s", m.Type, m.Subject, m.Revision, d.Revision.Author, versionName(m.BaseVersion))
	turn := ""
	if d.Issue != nil && d.Issue.Assignee != "" {
		turn = ", assigned to " + d.Issue.Assignee
	}
	p.linef("%s%s", m.State, turn)
	p.linef("id %s", m.ID)
	if marks := marks(m); len(marks) > 0 {
		p.linef("%s", strings.Join(marks, ", "))
	}
	for _, o := range d.Others {
		p.linef("Approving this makes %s by %s stale.", reference(o), o.Author)
	}
	if len(d.Members) > 1 {
		p.linef("Change set %s:", m.ChangeSet)
		for _, o := range d.Members {
			p.linef("  %s  %s  %s", reference(o), o.Subject, o.State)
		}
	}
}

func reference(p proposals.Proposal) string {
	if p.Issue > 0 {
		return issueNumber(p)
	}
	return string(p.ID)
}

func versionName(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "version " + itoa(n)
}

func writeContent(p *page, d proposals.Draft) {
	p.blank()
	p.linef("Rationale")
	p.text("  ", d.Rationale)
	if len(d.Examples) > 0 {
		p.blank()
		p.linef("Examples")
		for _, e := range d.Examples {
			p.text("  - ", e)
		}
	}
	if len(d.TestCases) > 0 {
		p.blank()
		p.linef("Test cases")
		for _, c := range d.TestCases {
			p.linef("  - %s (should %s)", c.Name, c.Expect)
		}
	}
	if d.Definition.IsZero() {
		return
	}
	p.blank()
	p.linef("Definition %s", d.Definition.Hash()[:12])
	writeDefinition(p, d.Definition)
}

// writeSource prints what the JSON that was imported says beyond the definition:
// an approval pins it.
func writeSource(p *page, d review.Dossier) {
	_, after := d.Change()
	fields := diff.Contents(diff.Content{Definition: after.Definition}, after)
	if len(fields) == 0 {
		return
	}
	p.blank()
	p.linef("Imported with it, and pinned by an approval")
	for _, f := range fields {
		if isText(f.After) {
			p.linef("  %s", f.Path)
			p.text("    ", f.After.Text)
			continue
		}
		p.linef("  %s: %s", f.Path, scalar(f.After))
	}
}

// writeDefinition prints every key of a definition: texts of more than one
// line as such, everything else as JSON.
func writeDefinition(p *page, d registry.Definition) {
	doc := mustParse(d.Canonical())
	for _, key := range d.Keys() {
		v := doc.Get(key)
		switch {
		case v == nil:
		case isText(v):
			p.linef("  %s", key)
			p.text("    ", v.Text)
		default:
			p.linef("  %s: %s", key, scalar(v))
		}
	}
}

func writeAssessment(p *page, d review.Dossier) {
	as := d.Assessment()
	if as == nil {
		return
	}
	p.blank()
	p.linef("Assessment by %s of revision %d: %s", as.Reviewer, as.Revision, as.Recommendation)
	p.text("  ", cmp.Or(as.Report.Comment, "(no comment)"))
	if as.Report.Builtin != "" {
		p.blank()
		p.linef("%s", proposals.BuiltinChief())
		p.text("  ", as.Report.Builtin)
	}
	if len(as.Report.Harness) > 0 {
		p.blank()
	}
	for _, r := range as.Report.Harness {
		how := ""
		if r.Live {
			how = " (live)"
		}
		p.linef("  test case %s%s: %s. %s", r.Name, how, strings.ReplaceAll(string(r.Outcome), "_", " "), stop(r.Reason))
	}
	for _, s := range d.Standing {
		writeFinding(p, s)
	}
}

func writeFinding(p *page, s review.Standing) {
	p.blank()
	state := string(s.Severity)
	ink := map[string]ink{"block": inkBad, "warn": inkWarn}[state]
	if s.Waiver != nil {
		state, ink = "waived by "+s.Waiver.By+": "+s.Waiver.Reason, inkFaint
	}
	p.raw("  " + p.paint(ink, safe(state)) + "  " + safe(review.Handle(s.Finding)))
	p.linef("    %s", s.Message)
	if s.Line > 0 {
		p.linef("    at line %d, column %d: %s", s.Line, s.Column, cut(s.Passage, 100))
	}
	if s.Suggestion != "" {
		p.linef("    %s", s.Suggestion)
	}
}

func writeThread(p *page, d review.Dossier) {
	for _, c := range d.Comments {
		p.blank()
		where := ""
		if c.Field != "" {
			where = ", on " + c.Field
			if c.Line > 0 {
				where += " line " + itoa(c.Line)
			}
			where += " of revision " + itoa(c.Revision)
		}
		p.linef("%s, %s%s", c.Author, timestamp(c.At), where)
		p.text("  ", c.Body)
	}
	for _, decision := range d.Decisions {
		p.blank()
		p.linef("%s by %s, %s, revision %d", decision.Verdict, decision.By, timestamp(decision.At), decision.Revision)
		p.text("  ", decision.Note)
	}
}

func writeEnd(p *page, d review.Dossier) {
	p.blank()
	if d.Digest != "" {
		p.linef("review digest %s", d.Digest)
	}
	if !d.Proposal.State.Open() {
		return
	}
	p.linef("policy        %s", d.Policy.Deciding())
	for _, o := range d.Obstacles {
		p.linef("Can not be approved: %s", o)
	}
	if len(d.Obstacles) == 0 {
		p.linef("Approve it with: toolcrib --approve %s --expect %s", d.Proposal.ID, d.Digest)
	}
}
