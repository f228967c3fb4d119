package proposal

import (
	"cmp"
	"fmt"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/impact"
)

func printDossier(a *command.App, d review.Dossier) error {
	doc := document.Dossier{Head: output.NewHead("proposal"), Proposal: document.NewDetail(d)}
	return a.Print(doc, func(p *output.Page) {
		writeHead(p, d)
		document.WriteReach(p, d)
		writeMembers(p, d.Proposal.ChangeSet, d.Members)
		writeBody(p, d, doc.Proposal.Context)
		writeEnd(p, d)
	})
}

func writeBody(p *output.Page, d review.Dossier, costs []document.Load) {
	writeContent(p, d.Revision.Draft, d.TestChanges())
	writeSource(p, d)
	if costs != nil {
		p.Blank()
		document.WriteContextCosts(p, costs)
	}
	writeAssessment(p, d)
	writeThread(p, d)
}

func writeHead(p *output.Page, d review.Dossier) {
	m := d.Proposal
	title := m.Title
	if d.Issue != nil {
		title = fmt.Sprintf("#%d %s", d.Issue.Number, d.Issue.Title)
	}
	p.Linef("%s", title)
	p.Linef("%s %s, revision %d by %s, against %s", m.Type, m.Subject, m.Revision, d.Revision.Author, versionName(m.BaseVersion))
	turn := ""
	if d.Issue != nil && d.Issue.Assignee != "" {
		turn = ", assigned to " + d.Issue.Assignee
	}
	p.Linef("%s%s", m.State, turn)
	p.Linef("id %s", m.ID)
	if marks := facts.Marks(m); len(marks) > 0 {
		p.Linef("%s", strings.Join(marks, ", "))
	}
	for _, o := range d.Others {
		p.Linef("Approving this makes %s by %s stale.", o.Handle(), o.Author)
	}
}

// writeMembers lists the members of a change set that has more than one.
func writeMembers(p *output.Page, changeSet string, members []proposals.Proposal) {
	if len(members) < 2 {
		return
	}
	p.Linef("Change set %s:", changeSet)
	for _, o := range members {
		p.Linef("  %s  %s  %s, revision %d", o.Handle(), o.Subject, o.State, o.Revision)
	}
}

func versionName(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "version " + output.Itoa(n)
}

func writeContent(p *output.Page, d proposals.Draft, changes []impact.TestChange) {
	p.Blank()
	p.Linef("Rationale")
	p.Text("  ", d.Rationale)
	if len(d.Examples) > 0 {
		p.Blank()
		p.Linef("Examples")
		for _, e := range d.Examples {
			p.Text("  - ", e)
		}
	}
	if len(d.TestCases) > 0 {
		p.Blank()
		p.Linef("Test cases")
		for _, c := range d.TestCases {
			p.Linef("  - %s (should %s)", c.Name, c.Expect)
		}
	}
	writeTestChanges(p, changes)
	if d.Definition.IsZero() {
		return
	}
	p.Blank()
	p.Linef("Definition %s", d.Definition.Hash()[:12])
	document.WriteDefinition(p, d.Definition)
}

// writeTestChanges prints what an approval does to the test cases of the subject.
func writeTestChanges(p *output.Page, changes []impact.TestChange) {
	for _, c := range changes {
		word := map[diff.Change]string{diff.Removed: "Drops", diff.Modified: "Changes", diff.Added: "Adds"}[c.Change]
		p.Linef("  %s test case: %s", word, c.Name)
		if c.Before != "" {
			p.Text("    - ", c.Before)
		}
		if c.After != "" && c.Before != "" {
			p.Text("    + ", c.After)
		}
	}
}

// writeSource prints what the JSON that was imported says beyond the definition:
// an approval pins it.
func writeSource(p *output.Page, d review.Dossier) {
	_, after := d.Change()
	fields := diff.Contents(diff.Content{Definition: after.Definition}, after)
	if len(fields) == 0 {
		return
	}
	p.Blank()
	p.Linef("Imported with it, and pinned by an approval")
	for _, f := range fields {
		if output.IsText(f.After) {
			p.Linef("  %s", f.Path)
			p.Text("    ", f.After.Text)
			continue
		}
		p.Linef("  %s: %s", f.Path, output.Scalar(f.After))
	}
}

func writeAssessment(p *output.Page, d review.Dossier) {
	as := d.Assessment()
	if as == nil {
		return
	}
	p.Blank()
	p.Linef("Assessment by %s of revision %d: %s", as.Reviewer, as.Revision, as.Recommendation)
	if d.OtherRules {
		p.Linef("  Assessed under other rules or settings. Assess it again: toolcrib review %s --again", review.Reference(d.Proposal))
	}
	p.Text("  ", cmp.Or(as.Report.Comment, "(no comment)"))
	if as.Report.Builtin != "" {
		p.Blank()
		p.Linef("%s", proposals.BuiltinChief())
		p.Text("  ", as.Report.Builtin)
	}
	if len(as.Report.Harness) > 0 {
		p.Blank()
	}
	for _, r := range as.Report.Harness {
		how := ""
		if r.Live {
			how = " (live)"
		}
		p.Linef("  test case %s%s: %s. %s", r.Name, how, strings.ReplaceAll(string(r.Outcome), "_", " "), output.FullStop(r.Reason))
	}
	for _, s := range d.Standing {
		if !s.Carried {
			writeFinding(p, s)
		}
	}
	for _, c := range d.Carried {
		p.Blank()
		p.Linef("  %s: %s", c, strings.Join(c.Rules(), ", "))
	}
}

func writeFinding(p *output.Page, s review.Standing) {
	p.Blank()
	state := string(s.Severity)
	ink := map[string]output.Ink{"block": output.InkBad, "warn": output.InkWarn}[state]
	if s.Waiver != nil {
		state, ink = "waived by "+s.Waiver.By+": "+s.Waiver.Reason, output.InkFaint
	}
	p.Raw("  " + p.Paint(ink, output.Safe(state)) + "  " + output.Safe(review.Handle(s.Finding)))
	p.Linef("    %s", s.Message)
	switch {
	case s.Line > 0 && s.Quoted():
		p.Linef("    at line %d, column %d", s.Line, s.Column)
	case s.Line > 0:
		p.Linef("    at line %d, column %d: %s", s.Line, s.Column, output.Cut(s.Passage, 100))
	}
	for _, remedy := range s.Remedies() {
		p.Linef("    %s", remedy)
	}
}

func writeThread(p *output.Page, d review.Dossier) {
	for _, c := range d.Comments {
		p.Blank()
		where := ""
		if c.Field != "" {
			where = ", on " + c.Field
			if c.Line > 0 {
				where += " line " + output.Itoa(c.Line)
			}
			where += " of revision " + output.Itoa(c.Revision)
		}
		p.Linef("%s, %s%s", c.Author, output.Timestamp(c.At), where)
		p.Text("  ", c.Body)
	}
	for _, decision := range d.Decisions {
		p.Blank()
		p.Linef("%s by %s, %s, revision %d%s", decision.Verdict, decision.By, output.Timestamp(decision.At), decision.Revision, notShown(decision))
		p.Text("  ", decision.Note)
	}
}

// notShown marks an approval of content that the decider was not shown.
func notShown(d proposals.Decision) string {
	text := ""
	if mark := document.NotShown(d.Shown); mark != "" && d.Verdict == proposals.VerdictApproved {
		text = ", " + mark
	}
	if read := output.Safe(d.Reading.String()); read != "" && (d.Reading.Known > 0 || len(d.Reading.ByHash) > 0 || d.Reading.Read > 0) {
		text += ", " + read
	}
	return text
}

func writeEnd(p *output.Page, d review.Dossier) {
	p.Blank()
	if d.Digest != "" {
		p.Linef("review digest %s", d.Digest)
	}
	if !d.Proposal.State.Open() {
		return
	}
	if d.Source != nil && d.BaseSource != nil && d.Proposal.Type == proposals.Modify {
		document.WriteSuggestions(p, wire.Suggest(d.BaseSource, d.Source), review.Reference(d.Proposal))
	}
	p.Linef("policy        %s", d.Policy.Deciding())
	for _, o := range d.Obstacles {
		p.Linef("Cannot be approved: %s", o)
	}
	if len(d.Obstacles) == 0 {
		p.Linef("Approve it with: toolcrib --approve %s --expect %s", review.Reference(d.Proposal), d.Digest)
	}
}
