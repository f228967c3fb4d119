package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/review"
	"toolcrib/review/harness"
	"toolcrib/review/rules"
	"toolcrib/review/setpage"
)

func newShow(a *app) *cobra.Command {
	var source string
	var full bool
	cmd := &cobra.Command{
		Use:   "show ID | set:NAME",
		Short: "Show a proposal or a change set",
		Long: `Show a proposal: content, assessment with findings, thread, revisions, and the
review digest that an approval can be tied to. set:NAME shows all members of a
change set and one digest for the set.

A change set of tools imported from an MCP server is one page: once, every text that
a model will read, with the findings in place. --full adds the imported JSON.

toolcrib remembers the digest it last showed a user; approve refuses and names
any change since. What was cut off, by a template, a filter, or a reader that
left early, was not shown.

--source FILE writes the current revision as Markdown or JSON, by the file's
extension, for toolcrib revise; - is standard output, in JSON.`,
		Example: `  toolcrib show 4
  toolcrib show 4 --json
  toolcrib show set:rollout
  toolcrib show 4 --source revised.md`,
		Args: exact(1, "the number of a proposal, or set:NAME"),
		RunE: func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), a, args[0], source, full) },
	}
	cmd.Flags().BoolVar(&full, "full", false, "add the imported JSON to the page of a change set")
	cmd.Flags().StringVar(&source, "source", "", "write the current revision to `FILE` (.md or .json), - for standard output")
	return cmd
}

func runShow(ctx context.Context, a *app, ref, source string, full bool) error {
	b, err := a.openSession(ctx)
	if err != nil {
		return err
	}
	set, isSet := review.ChangeSetRef(ref)
	switch {
	case isSet && source == "":
		return b.showSet(ctx, a, set, full)
	case full:
		return usagef("--full is for change sets; %s is shown whole", ref)
	}
	d, err := b.show(ctx, a, ref)
	if err != nil {
		return err
	}
	if source != "" {
		if err := a.writeDraft(d.Revision.Draft, source); err != nil || source == "-" {
			return err
		}
		a.note("Wrote revision %d of %s to %s.", d.Revision.Number, d.Proposal.Subject, source)
		return nil
	}
	if err := a.printDossier(d); err != nil {
		return err
	}
	b.shown(ctx, a, d)
	return nil
}

func (b session) show(ctx context.Context, a *app, ref string) (review.Dossier, error) {
	ids, err := a.ids(ctx, b.desk, []string{ref})
	if err != nil {
		return review.Dossier{}, err
	}
	if len(ids) != 1 {
		return review.Dossier{}, usagef("%s names %d proposals; name one", ref, len(ids))
	}
	return b.desk.Show(ctx, b.actor, ids[0])
}

func newDocWholeDetail(d review.Dossier) docWholeDetail {
	doc := docWholeDetail{
		Document: facts.DocumentOf(d.Proposal), ReviewDigest: d.Digest, RestoreVersion: d.Revision.Draft.RestoreVersion,
		Definition: d.Revision.Draft.Definition.Canonical(), Source: newDocSource(d.Revision.Draft.Definition, d.Source), Rationale: d.Revision.Draft.Rationale,
		Examples: d.Revision.Draft.Examples, TestCases: d.Revision.Draft.TestCases,
		TestChanges: mapped(d.TestChanges(), newDocTestChange), Comments: mapped(d.Comments, newDocComment), Revisions: mapped(d.Revisions, newDocRevision), Decisions: mapped(d.Decisions, newDocDecision), Waivers: mapped(d.Waivers, newDocWaiver),
		Others: mapped(d.Others, facts.ReferenceTo), Members: mapped(d.Members, facts.ReferenceTo), Rendered: d.Rendered, Unassigned: d.Unassigned, Policy: newDocPolicy(d.Policy),
		Obstacles: mapped(d.Obstacles, error.Error),
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
	if d.Issue != nil {
		doc.IssueThread = &docIssue{
			Number: d.Issue.Number, Title: d.Issue.Title, Assignee: d.Issue.Assignee, Status: string(d.Issue.Status), Labels: d.Issue.Labels,
			Body: proposals.IssueBody(d.Revision),
		}
	}
	return doc
}

func newDocAssessment(as review.Assessment, d review.Dossier) *docAssessment {
	return &docAssessment{
		ID: as.ID, Revision: as.Revision, ContentHash: as.ContentHash, Reviewer: as.Reviewer.String(), Recommendation: string(as.Recommendation),
		Comment: as.Report.Comment, BuiltinComment: as.Report.Builtin, Problems: as.Report.Problems, RulesVersion: as.RulesVersion, OtherRules: d.OtherRules, CreatedAt: as.At,
		Findings: mapped(d.Standing, func(s review.Standing) docFinding { return newDocFinding(d.Proposal.Subject.String(), s) }),
		Harness: mapped(as.Report.Harness, func(r harness.Result) docOutcome {
			return docOutcome{Name: r.Name, Expect: string(r.Expect), Outcome: string(r.Outcome), Reason: r.Reason, Live: r.Live}
		}),
	}
}

// docChangeSet is a whole change set. Its review digest covers all members
// together.
type docChangeSet struct {
	docHead
	ChangeSet    string           `json:"change_set"`
	ReviewDigest string           `json:"review_digest"`
	Proposals    []docWholeDetail `json:"proposals"`
}

func (b session) showSet(ctx context.Context, a *app, name string, full bool) error {
	set, err := b.desk.ShowSet(ctx, b.actor, name)
	if err != nil {
		return err
	}
	doc := docChangeSet{docHead: head("change_set"), ChangeSet: name, ReviewDigest: set.Digest}
	members := make([]proposals.Proposal, len(set.Members))
	for i, d := range set.Members {
		members[i], d.Members = d.Proposal, nil // they are the proposals of the document
		doc.Proposals = append(doc.Proposals, newDocWholeDetail(d))
	}
	err = a.print(doc, func(p *page) {
		if setpage.Fits(set) {
			writeSetPage(p, set, full)
			writeSetEnd(p, set)
			return
		}
		writeMembers(p, name, members)
		for _, d := range set.Members {
			p.blank()
			writeHead(p, d)
			writeBody(p, d)
		}
		writeSetEnd(p, set)
	})
	if err != nil {
		return err
	}
	b.shown(ctx, a, set.Members...)
	return nil
}

func writeSetEnd(p *page, set review.ChangeSet) {
	p.blank()
	if set.Digest != "" {
		p.linef("review digest of the set %s", set.Digest)
	}
	if len(set.Members) > 0 {
		p.linef("policy %s", set.Members[0].Policy.Deciding())
	}
	obstacles := 0
	for _, d := range set.Members {
		for _, o := range d.Obstacles {
			obstacles++
			p.linef("%s cannot be approved: %s", d.Proposal.Handle(), o)
		}
	}
	if obstacles == 0 && set.Digest != "" {
		p.linef("Approve it with: toolcrib --approve 'set:%s' --expect %s", set.Name, set.Digest)
	}
}

// shown records what was just printed for the actor, if it was all of it: a template
// or a filter prints what it likes, and whoever leaves a pager or closes a pipe early
// has not seen the rest. A read-only database records
// nothing; any other failure is reported, because the next approval would refer to
// what was shown before.
func (b session) shown(ctx context.Context, a *app, ds ...review.Dossier) {
	if a.form.template != nil || a.form.jq != nil || a.cut || b.actor.Kind == proposals.User && readerLeft(a.stdout) {
		return
	}
	if a.audience != nil {
		a.audience.Shown(ds)
	}
	if err := b.desk.Shown(ctx, b.actor, ds...); err != nil && !errors.Is(err, review.ErrReadOnly) {
		a.note("toolcrib: %s", stop("what you were shown is not remembered: "+err.Error()))
	}
}

// writeSetPage prints a change set of imported tools as one page.
func writeSetPage(p *page, set review.ChangeSet, full bool) {
	for _, r := range setpage.Of(set, full).Rows {
		switch r.Kind {
		case setpage.Title:
			p.raw(p.paint(inkStrong, "Change set "+safe(r.Name)) + ": " + safe(r.Text))
		case setpage.Note:
			p.raw("  " + p.paint(inkFaint, spaced(r.Name, r.Text)))
		case setpage.Tool:
			p.blank()
			p.raw(p.paint(inkStrong, safe(r.Name)) + "  " + p.paint(inkFaint, spaced(r.Detail, r.Text)))
		case setpage.Text:
			ink := map[string]ink{"+": inkGood, "-": inkBad}[r.Sign]
			p.raw(p.paint(ink, signed(r.Sign)+strings.Repeat("  ", r.Depth)+spaced(r.Name, r.Detail, r.Text)))
		case setpage.Finding:
			writeSetFinding(p, r)
		case setpage.Raw:
			p.raw("      " + p.paint(inkFaint, safe(r.Text)))
		}
	}
	if !full {
		p.remark("The imported JSON of each tool: toolcrib show 'set:%s' --full", set.Name)
	}
}

func signed(sign string) string {
	if sign == "" {
		return "  "
	}
	return sign + " "
}

func writeSetFinding(p *page, r setpage.Row) {
	state, ink := string(r.Severity), map[rules.Severity]ink{rules.Block: inkBad, rules.Warn: inkWarn}[r.Severity]
	if r.Waived {
		state, ink = "waived", inkFaint
	}
	p.raw("    " + p.paint(ink, "! "+state+" "+safe(r.Name)) + "  " + safe(r.Text))
}

// spaced puts the parts that there are on one line, safe to print.
func spaced(parts ...string) string {
	var there []string
	for _, part := range parts {
		if part != "" {
			there = append(there, safe(part))
		}
	}
	return strings.Join(there, "  ")
}
