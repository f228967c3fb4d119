package cli

import (
	"cmp"
	"fmt"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/review"
)

func (a *app) printDossier(d review.Dossier) error {
	return a.print(docDossier{docHead: head("proposal"), Proposal: newDocWholeDetail(d)}, func(p *page) {
		writeHead(p, d)
		writeMembers(p, d.Proposal.ChangeSet, d.Members)
		writeBody(p, d)
		writeEnd(p, d)
	})
}

func writeBody(p *page, d review.Dossier) {
	writeContent(p, d.Revision.Draft, d.TestChanges())
	writeSource(p, d)
	writeAssessment(p, d)
	writeThread(p, d)
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
	if marks := facts.Marks(m); len(marks) > 0 {
		p.linef("%s", strings.Join(marks, ", "))
	}
	for _, o := range d.Others {
		p.linef("Approving this makes %s by %s stale.", o.Handle(), o.Author)
	}
}

// writeMembers lists the members of a change set that has more than one.
func writeMembers(p *page, changeSet string, members []proposals.Proposal) {
	if len(members) < 2 {
		return
	}
	p.linef("Change set %s:", changeSet)
	for _, o := range members {
		p.linef("  %s  %s  %s, revision %d", o.Handle(), o.Subject, o.State, o.Revision)
	}
}

func versionName(n int) string {
	if n == 0 {
		return "nothing"
	}
	return "version " + itoa(n)
}

func writeContent(p *page, d proposals.Draft, changes []review.TestChange) {
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
	writeTestChanges(p, changes)
	if d.Definition.IsZero() {
		return
	}
	p.blank()
	p.linef("Definition %s", d.Definition.Hash()[:12])
	writeDefinition(p, d.Definition)
}

// writeTestChanges prints what an approval does to the test cases of the subject.
func writeTestChanges(p *page, changes []review.TestChange) {
	for _, c := range changes {
		word := map[diff.Change]string{diff.Removed: "Drops", diff.Modified: "Changes", diff.Added: "Adds"}[c.Change]
		p.linef("  %s test case: %s", word, c.Name)
		if c.Before != "" {
			p.text("    - ", c.Before)
		}
		if c.After != "" && c.Before != "" {
			p.text("    + ", c.After)
		}
	}
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
	if d.OtherRules {
		p.linef("  Assessed under other rules or settings. Assess it again: toolcrib review %s --again", review.Reference(d.Proposal))
	}
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
	switch {
	case s.Line > 0 && s.Quoted():
		p.linef("    at line %d, column %d", s.Line, s.Column)
	case s.Line > 0:
		p.linef("    at line %d, column %d: %s", s.Line, s.Column, cut(s.Passage, 100))
	}
	for _, remedy := range s.Remedies() {
		p.linef("    %s", remedy)
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
		p.linef("%s by %s, %s, revision %d%s", decision.Verdict, decision.By, timestamp(decision.At), decision.Revision, notShown(decision))
		p.text("  ", decision.Note)
	}
}

// notShown marks an approval of content that the decider was not shown.
func notShown(d review.Decision) string {
	if mark := markNotShown(d.Shown); mark != "" && d.Verdict == review.VerdictApproved {
		return ", " + mark
	}
	return ""
}

func markNotShown(s review.Showing) string {
	if s == review.ShowingNone {
		return "not shown"
	}
	return ""
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
		p.linef("Cannot be approved: %s", o)
	}
	if len(d.Obstacles) == 0 {
		p.linef("Approve it with: toolcrib --approve %s --expect %s", review.Reference(d.Proposal), d.Digest)
	}
}
