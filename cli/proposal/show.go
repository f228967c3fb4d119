// This file prints proposals and change sets in full, and records that the actor saw them.

package proposal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/setpage"
)

func newShow(a *command.App) *cobra.Command {
	var source string
	var full bool
	cmd := &cobra.Command{
		Use:  "show ID | set:NAME",
		Args: command.ExactArgs(1, "the number of a proposal, or set:NAME"),
		RunE: a.InSession(func(ctx context.Context, b command.Session, args []string) error {
			set, isSet := review.ChangeSetRef(args[0])
			switch {
			case isSet && source == "":
				return showSet(ctx, b, a, set, full)
			case full:
				return process.Usagef("--full needs a change set; %s is always shown in full", args[0])
			}
			d, err := show(ctx, b, a, args[0])
			if err != nil {
				return err
			}
			if source != "" {
				if err := a.WriteDraft(d.Revision.Draft, source); err != nil || source == "-" {
					return err
				}
				a.Note("Wrote revision %d of %s to %s.", d.Revision.Number, d.Proposal.Subject, source)
				return nil
			}
			doc := document.Dossier{Head: output.NewHead("proposal"), Proposal: document.NewDetail(d)}
			err = a.Print(doc, func(p *output.Page) {
				writeHead(p, d)
				document.WriteReach(p, d)
				writeMembers(p, d.Proposal.ChangeSet, d.Members)
				writeBody(p, d, doc.Proposal.Context)
				p.Blank()
				writeDigest(p, "review digest", d.Digest)
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
					writeApproval(p, review.Reference(d.Proposal), d.Digest)
				}
			})
			if err != nil {
				return err
			}
			shown(ctx, b, a, d)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&full, "full", false, "add the imported JSON to the page of a change set")
	cmd.Flags().StringVar(&source, "source", "", "write the current revision to `FILE` (.md or .json), - for standard output")
	return cmd
}

func show(ctx context.Context, b command.Session, a *command.App, ref string) (review.Dossier, error) {
	ids, err := a.IDs(ctx, b.Desk, []string{ref})
	if err != nil {
		return review.Dossier{}, err
	}
	if len(ids) != 1 {
		return review.Dossier{}, process.Usagef("%s contains %d proposals; pass a single proposal, or show the whole set with toolcrib show %s", ref, len(ids), output.ShellWord(ref))
	}
	return b.Desk.Reading.Show(ctx, b.Actor, ids[0])
}

// docChangeSet is a change set with all its members. The review digest covers all members.
type docChangeSet struct {
	output.Head
	ChangeSet    string                 `json:"change_set"`
	ReviewDigest string                 `json:"review_digest"`
	Proposals    []document.WholeDetail `json:"proposals"`
}

func showSet(ctx context.Context, b command.Session, a *command.App, name string, full bool) error {
	set, err := b.Desk.Reading.ShowSet(ctx, b.Actor, name)
	if err != nil {
		return err
	}
	doc := docChangeSet{Head: output.NewHead("change_set"), ChangeSet: name, ReviewDigest: set.Digest}
	members := make([]proposals.Proposal, len(set.Members))
	for i, d := range set.Members {
		members[i], d.Members = d.Proposal, nil // the document already lists the members
		doc.Proposals = append(doc.Proposals, document.NewWholeDetail(d))
	}
	err = a.Print(doc, func(p *output.Page) {
		document.WriteReach(p, set.Members...)
		if setpage.Fits(set) {
			p.Gap()
			writeSetPage(p, set, full)
			writeSetEnd(p, set)
			return
		}
		writeMembers(p, name, members)
		for _, d := range set.Members {
			p.Blank()
			writeHead(p, d)
			writeBody(p, d, nil)
		}
		writeSetEnd(p, set)
	})
	if err != nil {
		return err
	}
	shown(ctx, b, a, set.Members...)
	return nil
}

func writeSetEnd(p *output.Page, set review.ChangeSet) {
	p.Blank()
	writeDigest(p, "review digest of the set", set.Digest)
	if len(set.Members) > 0 {
		p.Linef("policy %s", set.Members[0].Policy.Deciding())
	}
	obstacles := setObstacles(set)
	for _, o := range obstacles {
		who := strings.Join(o.members, ", ")
		if n := len(o.members); n > 1 && n == len(set.Members) {
			who = fmt.Sprintf("All %d", n)
		}
		p.Linef("%s cannot be approved: %s", who, o.why)
	}
	var blocked []string
	for _, d := range set.Members {
		if slices.ContainsFunc(d.Obstacles, func(o error) bool { return errors.Is(o, review.ErrBlocked) || errors.Is(o, review.ErrUnlisted) }) {
			blocked = append(blocked, review.Reference(d.Proposal))
		}
	}
	if n := len(blocked); n > 0 && n < len(set.Members) {
		p.Linef("A change set can only be approved as a whole. Take the blocked proposals out of the set, and then show the set again: toolcrib regroup %s --alone", strings.Join(blocked, " "))
	}
	if len(obstacles) == 0 && set.Digest != "" {
		writeApproval(p, "'set:"+set.Name+"'", set.Digest)
	}
}

// writeDigest prints a digest. It prints nothing for a screen reader, because an approval in accessible mode needs no
// --expect.
func writeDigest(p *output.Page, label, digest string) {
	if digest != "" && !p.Spoken {
		p.Linef("%s %s", label, digest)
	}
}

func writeApproval(p *output.Page, name, digest string) {
	if p.Spoken {
		p.Linef("Approve it with: toolcrib approve %s", name)
		return
	}
	p.Linef("Approve it with: toolcrib --approve %s --expect %s", name, digest)
}

// setObstacle is a reason why members of a change set cannot be approved.
type setObstacle struct {
	why           string
	members, refs []string
}

// assessing returns the command that assesses the given proposals again, which is the remedy for review.ErrOutdated.
func assessing(refs string) string { return "toolcrib review " + refs + " --again" }

// setObstacles returns the reasons why members of a change set cannot be approved. If several members have the same
// reason, the result contains this reason once, with a single remedy for all of these members.
func setObstacles(set review.ChangeSet) []setObstacle {
	var list []setObstacle
	for _, d := range set.Members {
		ref := review.Reference(d.Proposal)
		for _, o := range d.Obstacles {
			why := strings.Replace(o.Error(), assessing(ref), assessing(""), 1)
			i := slices.IndexFunc(list, func(o setObstacle) bool { return o.why == why })
			if i < 0 {
				i, list = len(list), append(list, setObstacle{why: why})
			}
			list[i].refs, list[i].members = append(list[i].refs, ref), append(list[i].members, d.Proposal.Handle())
		}
	}
	for i, o := range list {
		refs := strings.Join(o.refs, " ")
		if len(o.members) == len(set.Members) {
			refs = "'set:" + set.Name + "'"
		}
		list[i].why = strings.Replace(o.why, assessing(""), assessing(refs), 1)
	}
	return list
}

// printedWhole reports whether the user received the complete output. It returns false if a filter printed only a part
// of the output, or if the user closed the pager or the pipe before the end.
func printedWhole(b command.Session, a *command.App) bool {
	return a.Form.JQ == nil && !a.Cut && (b.Actor.Kind != proposals.User || !process.ReaderLeft(a.Stdout))
}

// shown records that the actor was shown the proposals in ds in full. It does nothing if the user did not receive the
// complete output, or if the database is read-only. It prints a note about any other failure, because the actor's next
// approval would then refer to content that was shown earlier.
func shown(ctx context.Context, b command.Session, a *command.App, ds ...review.Dossier) {
	if !printedWhole(b, a) {
		return
	}
	if a.Audience != nil {
		a.Audience.Shown(ds)
	}
	if err := b.Desk.Reading.Shown(ctx, b.Actor, ds...); err != nil && !errors.Is(err, review.ErrReadOnly) {
		a.Note("toolcrib: %s", output.FullStop("cannot record what you were shown: "+err.Error()))
	}
}

// writeSetPage prints a change set of imported tools as a single page.
func writeSetPage(p *output.Page, set review.ChangeSet, full bool) {
	for _, r := range setpage.Of(set, full).Rows {
		switch r.Kind {
		case setpage.Title:
			p.Raw(p.Paint(output.InkStrong, "Change set "+output.Safe(r.Name)) + ": " + output.Safe(r.Text))
		case setpage.Note:
			p.Raw("  " + p.Paint(output.InkFaint, spaced(r.Name, r.Text)))
		case setpage.Tool:
			p.Raw(p.Paint(output.InkStrong, output.Safe(r.Name)) + "  " + p.Paint(output.InkFaint, spaced(r.Detail, r.Text)))
		case setpage.Text:
			ink := map[string]output.Ink{"+": output.InkGood, "-": output.InkBad}[r.Sign]
			p.Raw(p.Paint(ink, fmt.Sprintf("%-2s", r.Sign)+strings.Repeat("  ", r.Depth)+spaced(r.Name, r.Detail, r.Text)))
		case setpage.Finding:
			state, ink := string(r.Severity), map[rules.Severity]output.Ink{rules.Block: output.InkBad, rules.Warn: output.InkWarn}[r.Severity]
			if r.Waived {
				state, ink = "waived", output.InkFaint
			}
			p.Raw("    " + p.Paint(ink, "! "+state+" "+output.Safe(r.Name)) + "  " + spaced(r.Detail, r.Text))
		case setpage.Raw:
			p.Raw("      " + p.Paint(output.InkFaint, output.Safe(r.Text)))
		case setpage.File:
			p.Raw("  " + spaced(r.Name, r.Detail, r.Text))
		case setpage.Fact: // printed above the page
		}
	}
	if !full {
		p.Remark("To show the imported JSON of each tool: toolcrib show 'set:%s' --full", set.Name)
	}
}

// spaced joins non-empty parts and makes them safe to print.
func spaced(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(lists.Map(parts, output.Safe), "  ")
}

// writeBody prints the draft, the data of the import, the assessment, and the comments.
func writeBody(p *output.Page, d review.Dossier, costs []document.Load) {
	draft := d.Revision.Draft
	p.Blank()
	p.Linef("Rationale")
	p.Text("  ", draft.Rationale)
	if len(draft.Examples) > 0 {
		p.Blank()
		p.Linef("Examples")
		for _, e := range draft.Examples {
			p.Text("  - ", e)
		}
	}
	if len(draft.TestCases) > 0 {
		p.Blank()
		p.Linef("Test cases")
		for _, c := range draft.TestCases {
			p.Linef("  - %s (should %s)", c.Name, c.Expect)
		}
	}
	for _, c := range d.TestChanges() { // changes of the subject's test cases
		word := map[diff.Change]string{diff.Removed: "Drops", diff.Modified: "Changes", diff.Added: "Adds"}[c.Change]
		p.Linef("  %s test case: %s", word, c.Name)
		if c.Before != "" {
			p.Text("    - ", c.Before)
		}
		if c.After != "" && c.Before != "" {
			p.Text("    + ", c.After)
		}
	}
	if !draft.Definition.IsZero() {
		p.Blank()
		p.Linef("Definition %s", draft.Definition.Hash()[:12])
		document.WriteDefinition(p, draft.Definition)
	}
	_, after := d.Change()
	for i, f := range diff.Contents(diff.Content{Definition: after.Definition}, after) { // the part of the imported JSON that the definition does not contain
		if i == 0 {
			p.Blank()
			p.Linef("Other imported fields, which an approval also pins")
		}
		if output.IsText(f.After) {
			p.Linef("  %s", f.Path)
			p.Text("    ", f.After.Text)
			continue
		}
		p.Linef("  %s: %s", f.Path, output.Scalar(f.After))
	}
	if costs != nil {
		p.Blank()
		document.WriteContextCosts(p, costs)
	}
	writeAssessment(p, d)
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

func writeHead(p *output.Page, d review.Dossier) {
	m := d.Proposal
	title := m.Title
	if d.Issue != nil {
		title = fmt.Sprintf("#%d %s", d.Issue.Number, d.Issue.Title)
	}
	p.Linef("%s", title)
	p.Linef("%s %s, revision %d by %s; base: %s", m.Type, m.Subject, m.Revision, d.Revision.Author, d.BaseName())
	turn := ""
	if d.Issue != nil && d.Issue.Assignee != "" {
		turn = ", assigned to " + d.Issue.Assignee
	}
	p.Linef("%s%s", m.State, turn)
	if !p.Spoken {
		p.Linef("id %s", m.ID)
	}
	if marks := facts.Marks(m); len(marks) > 0 {
		p.Linef("%s", strings.Join(marks, ", "))
	}
	for _, o := range d.Others {
		p.Linef("Approving this makes %s by %s stale.", o.Handle(), o.Author)
	}
}

// writeMembers prints the members of a change set. It prints nothing if the change set has fewer than two members.
func writeMembers(p *output.Page, changeSet string, members []proposals.Proposal) {
	if len(members) < 2 {
		return
	}
	p.Gap()
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
	comment := cmp.Or(as.Report.Comment, "(no comment)")
	if p.Spoken {
		comment = strings.ReplaceAll(comment, "**", "")
	}
	p.Text("  ", comment)
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
		if s.Carried {
			continue
		}
		p.Blank()
		state := string(s.Severity)
		ink := map[string]output.Ink{"block": output.InkBad, "warn": output.InkWarn}[state]
		if s.Waiver != nil {
			state, ink = "waived by "+s.Waiver.By+": "+s.Waiver.Reason, output.InkFaint
		}
		p.Raw("  " + p.Paint(ink, output.Safe(state)) + "  " + output.Safe(review.Handle(s.Finding)))
		p.Linef("    %s", s.Message)
		switch {
		case s.Line > 0 && s.HasQuote():
			p.Linef("    at line %d, column %d", s.Line, s.Column)
		case s.Line > 0:
			p.Linef("    at line %d, column %d: %s", s.Line, s.Column, output.Cut(s.Passage, 100))
		}
		for _, remedy := range s.Remedies() {
			p.Linef("    %s", remedy)
		}
	}
	for _, c := range d.Carried {
		p.Blank()
		p.Linef("  %s: %s", c, strings.Join(c.Rules(), ", "))
	}
}

// notShown returns remarks about content that this program did not show to the approver, and about content that the
// approver read elsewhere or accepted unread. It returns "" if there are no remarks.
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
