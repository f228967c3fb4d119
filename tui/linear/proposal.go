package linear

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/wording"
)

func (s *session) doID(string) error {
	s.out.linef("id %s", s.open.Proposal.ID)
	if s.open.Digest != "" {
		s.out.linef("review digest %s", s.open.Digest)
	}
	return nil
}

func (s *session) doOverview(string) error {
	d := s.open
	p := d.Proposal
	lines := []string{
		fmt.Sprintf("%s. %s %s, %s.", p.Title, p.Type, p.Subject, s.stateWord(p)),
		fmt.Sprintf("By %s, %s. Revision %d, content %s, against %s.", p.Author, stamp(p.CreatedAt), p.Revision, wording.Short(p.ContentHash), wording.Against(p.BaseVersion)),
	}
	if d.Issue != nil {
		lines = append(lines, fmt.Sprintf("Issue #%d, %s, assigned to %s.", d.Issue.Number, d.Issue.Status, d.Issue.Assignee))
	}
	if p.Approvals != nil {
		lines = append(lines, "Approvals: "+p.Approvals.Text+".")
	}
	if p.Stale() {
		lines = append(lines, "It is "+wording.Stale(p)+". Say rebase.")
	}
	if len(d.Members) > 1 {
		lines = append(lines, "Change set "+p.ChangeSet+", approved together or not at all:")
		for _, m := range d.Members {
			lines = append(lines, "  "+wording.Reference(m)+" "+m.Subject.String()+", "+s.stateWord(m))
		}
	}
	if a := d.Assessment(); a != nil {
		lines = append(lines, fmt.Sprintf("%s advises: %s, with %s.", a.Reviewer, wording.Advice(a.Recommendation), wording.Count(len(d.Standing), "finding", "findings")))
	}
	lines = append(lines, consequences(*d)...)
	for _, why := range inTheWay(*d) {
		lines = append(lines, "It cannot be approved yet: "+why)
	}
	lines = append(lines, "Rationale:")
	lines = append(lines, text("  ", wording.OrNone(d.Revision.Draft.Rationale))...)
	for i, e := range d.Revision.Draft.Examples {
		lines = append(lines, fmt.Sprintf("Example %d: %s", i+1, e))
	}
	for i, c := range d.Revision.Draft.TestCases {
		lines = append(lines, fmt.Sprintf("Test case %d, should %s: %s", i+1, c.Expect, c.Name), "  input: "+c.Input)
	}
	s.pages(lines)
	return nil
}

// testChanges returns what an approval would do to the test cases of the subject.
func testChanges(d review.Dossier) []string {
	var lines []string
	for _, c := range wording.TestChanges(d.TestChanges()) {
		lines = append(lines, "It "+c.Text+".")
	}
	return lines
}

// consequences returns what an approval would do to prompts and to others.
func consequences(d review.Dossier) []string {
	if !d.Proposal.State.Open() {
		return nil
	}
	var lines []string
	if len(d.Rendered) == 0 {
		lines = append(lines, "No agent's prompt changes.")
	} else {
		lines = append(lines, "It changes "+wording.Count(len(d.Rendered), "channel prompt", "channel prompts")+":")
		for _, key := range slices.Sorted(maps.Keys(d.Rendered)) {
			gone := ""
			if d.Rendered[key] == "" {
				gone = ", which goes away"
			}
			lines = append(lines, "  "+strings.Replace(key, "#", " channel ", 1)+gone)
		}
	}
	lines = append(lines, testChanges(d)...)
	if d.Unassigned {
		lines = append(lines, "No agent has this tool. Assign it: toolcrib assign "+d.Proposal.Subject.ID+" --to NAME.")
	}
	for _, o := range d.Others {
		lines = append(lines, "It makes "+wording.Reference(o)+" by "+o.Author.String()+" stale.")
	}
	return lines
}

// doFindings reads the findings out, the worst first.
func (s *session) doFindings(string) error {
	d := s.open
	a := d.Assessment()
	if a == nil {
		s.out.line("This revision has no assessment yet.")
		return nil
	}
	lines := []string{fmt.Sprintf("%s advises: %s. Rules %s.", a.Reviewer, wording.Advice(a.Recommendation), a.RulesVersion)}
	if d.OtherRules {
		lines = append(lines, "It was assessed under other rules or settings than those in force.")
	}
	for i, f := range d.Standing {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, findingLine(f)))
		if f.Passage != "" {
			lines = append(lines, "   the passage:")
			lines = append(lines, text("   | ", f.Passage)...)
		}
		for _, remedy := range f.Remedies() {
			lines = append(lines, "   do: "+remedy)
		}
		if f.Waiver != nil {
			lines = append(lines, "   waived by "+f.Waiver.By+": "+f.Waiver.Reason)
		}
	}
	if len(d.Standing) == 0 {
		lines = append(lines, "No findings.")
	}
	if a.Report.Comment != "" {
		lines = append(lines, "Reviewer's comment:")
		lines = append(lines, text("  ", a.Report.Comment)...)
	}
	if a.Report.Builtin != "" {
		lines = append(lines, "Comment of "+proposals.BuiltinChief().String()+":")
		lines = append(lines, text("  ", a.Report.Builtin)...)
	}
	if s.pages(lines) {
		s.read[d.Proposal.ID].findings = d.Digest
	} else {
		s.out.line("Stopped before the end.")
	}
	return nil
}

func findingLine(f review.Standing) string {
	where := f.Path
	if f.Line > 0 {
		where += fmt.Sprintf(" line %d", f.Line)
	}
	severity := string(f.Severity)
	if !f.Open() {
		severity = "waived"
	}
	return fmt.Sprintf("%s, %s, in %s: %s", severity, f.Rule, where, f.Deed())
}

func (s *session) doRule(id string) error {
	for _, r := range ruleset.All() {
		if !strings.EqualFold(r.ID, id) && !strings.EqualFold(r.Name, id) {
			continue
		}
		waivable := "cannot be waived"
		if r.Waivable {
			waivable = "can be waived"
		}
		lines := []string{fmt.Sprintf("%s, %s, %s, %s.", r.ID, r.Name, r.Severity, waivable)}
		lines = append(lines, text("", r.Doc)...)
		lines = append(lines, "Bad: "+r.Bad, "Good: "+r.Good)
		if r.Suggestion != "" {
			lines = append(lines, "Do: "+r.Suggestion)
		}
		if r.Importer != "" {
			lines = append(lines, rules.Importing(r.Importer))
		}
		s.pages(lines)
		return nil
	}
	s.out.linef("toolcrib has no rule %q.", id)
	return nil
}

// doThread reads out comments and decisions, in order.
func (s *session) doThread(string) error {
	d := s.open
	type entry struct {
		at    time.Time
		lines []string
	}
	var entries []entry
	add := func(at time.Time, head, body string) {
		lines := []string{head}
		if body != "" {
			lines = append(lines, text("  ", body)...)
		}
		entries = append(entries, entry{at, lines})
	}
	for _, c := range d.Comments {
		on := ""
		if c.Field != "" {
			on = " on " + c.Field
			if c.Line > 0 {
				on += fmt.Sprintf(" line %d", c.Line)
			}
			on += fmt.Sprintf(" of revision %d", c.Revision)
		}
		add(c.At, c.Author.String()+" commented"+on+", "+stamp(c.At)+":", c.Body)
	}
	for _, x := range d.Decisions {
		add(x.At, fmt.Sprintf("%s decided %s about revision %d, %s.", x.By, strings.ReplaceAll(string(x.Verdict), "_", " "), x.Revision, stamp(x.At)), x.Note)
	}
	for _, w := range d.Waivers {
		verb := " waived "
		if w.Ends() {
			verb = " ended the waiver of "
		}
		add(w.At, w.By+verb+w.Rule+" in "+w.Path+", "+stamp(w.At)+".", w.Reason)
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.at.Compare(b.at) })
	var lines []string
	if d.Issue != nil {
		lines = append(lines, fmt.Sprintf("Issue #%d, %s, %s.", d.Issue.Number, d.Issue.Title, d.Issue.Status))
	}
	for _, e := range entries {
		lines = append(lines, e.lines...)
	}
	if len(entries) == 0 {
		lines = append(lines, "No comments yet.")
	}
	s.pages(lines)
	return nil
}

func (s *session) doHistory(string) error {
	var lines []string
	for _, r := range slices.Backward(s.open.Revisions) {
		lines = append(lines, fmt.Sprintf("Revision %d by %s, %s, content %s, against %s.", r.Number, r.Author, stamp(r.CreatedAt), wording.Short(r.ContentHash), wording.Against(r.Draft.Base())))
	}
	versions, err := s.versions(s.open.Proposal.Subject)
	if err != nil {
		return err
	}
	s.pages(append(lines, versions...))
	return nil
}
