package proposal

import (
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
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/setpage"
)

func newShow(a *command.App) *cobra.Command {
	var source string
	var full bool
	cmd := &cobra.Command{
		Use:  "show ID | set:NAME",
		Args: command.Exact(1, "the number of a proposal, or set:NAME"),
		RunE: func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), a, args[0], source, full) },
	}
	cmd.Flags().BoolVar(&full, "full", false, "add the imported JSON to the page of a change set")
	cmd.Flags().StringVar(&source, "source", "", "write the current revision to `FILE` (.md or .json), - for standard output")
	return cmd
}

func runShow(ctx context.Context, a *command.App, ref, source string, full bool) error {
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	set, isSet := review.ChangeSetRef(ref)
	switch {
	case isSet && source == "":
		return showSet(ctx, b, a, set, full)
	case full:
		return process.Usagef("--full is for change sets; %s is shown whole", ref)
	}
	d, err := show(ctx, b, a, ref)
	if err != nil {
		return err
	}
	if source != "" {
		if err := writeDraft(a, d.Revision.Draft, source); err != nil || source == "-" {
			return err
		}
		a.Note("Wrote revision %d of %s to %s.", d.Revision.Number, d.Proposal.Subject, source)
		return nil
	}
	if err := printDossier(a, d); err != nil {
		return err
	}
	shown(ctx, b, a, d)
	return nil
}

func show(ctx context.Context, b command.Session, a *command.App, ref string) (review.Dossier, error) {
	ids, err := a.IDs(ctx, b.Desk, []string{ref})
	if err != nil {
		return review.Dossier{}, err
	}
	if len(ids) != 1 {
		return review.Dossier{}, process.Usagef("%s names %d proposals; name one", ref, len(ids))
	}
	return b.Desk.Reading.Show(ctx, b.Actor, ids[0])
}

// docChangeSet is a whole change set. Its review digest covers all members
// together.
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
		members[i], d.Members = d.Proposal, nil // they are the proposals of the document
		doc.Proposals = append(doc.Proposals, document.NewWholeDetail(d))
	}
	err = a.Print(doc, func(p *output.Page) {
		document.WriteReach(p, set.Members...)
		if p.Buf.Len() > 0 {
			p.Blank()
		}
		if setpage.Fits(set) {
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
	if set.Digest != "" {
		p.Linef("review digest of the set %s", set.Digest)
	}
	if len(set.Members) > 0 {
		p.Linef("policy %s", set.Members[0].Policy.Deciding())
	}
	obstacles := setObstacles(set)
	for _, o := range obstacles {
		p.Linef("%s cannot be approved: %s", o.who(len(set.Members)), o.why)
	}
	var blocked []string
	for _, d := range set.Members {
		if slices.ContainsFunc(d.Obstacles, func(o error) bool { return errors.Is(o, review.ErrBlocked) }) {
			blocked = append(blocked, review.Reference(d.Proposal))
		}
	}
	if n := len(blocked); n > 0 && n < len(set.Members) {
		p.Linef("A set is approved whole. Leave what is blocked out, and look again: toolcrib regroup %s --alone", strings.Join(blocked, " "))
	}
	if len(obstacles) == 0 && set.Digest != "" {
		p.Linef("Approve it with: toolcrib --approve 'set:%s' --expect %s", set.Name, set.Digest)
	}
}

// setObstacle keeps members of a change set from being approved.
type setObstacle struct {
	why           string
	members, refs []string
}

// assessing is the remedy of ErrOutdated, which several proposals can share.
func assessing(refs string) string { return "toolcrib review " + refs + " --again" }

// setObstacles returns what is in the way of a change set, what several members share
// once, with a remedy for all of them.
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

// who names the members, of so many.
func (o setObstacle) who(all int) string {
	switch n := len(o.members); n {
	case 1:
		return o.members[0]
	case all:
		return fmt.Sprintf("All %d", n)
	}
	return strings.Join(o.members, ", ")
}

// printedWhole reports whether all of the output reached its reader: a filter prints a
// part, and whoever leaves a pager or closes a pipe early has not seen the rest.
func printedWhole(b command.Session, a *command.App) bool {
	return a.Form.JQ == nil && !a.Cut && (b.Actor.Kind != proposals.User || !process.ReaderLeft(a.Stdout))
}

// shown records that a command printed the whole change for the actor, if all of it was
// read. A read-only database records nothing; any other failure is reported, because the
// next approval would refer to what was shown before.
func shown(ctx context.Context, b command.Session, a *command.App, ds ...review.Dossier) {
	if !printedWhole(b, a) {
		return
	}
	if a.Audience != nil {
		a.Audience.Shown(ds)
	}
	if err := b.Desk.Reading.Shown(ctx, b.Actor, ds...); err != nil && !errors.Is(err, review.ErrReadOnly) {
		a.Note("toolcrib: %s", output.FullStop("what you were shown is not remembered: "+err.Error()))
	}
}

// writeSetPage prints a change set of imported tools as one page.
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
			p.Raw(p.Paint(ink, signed(r.Sign)+strings.Repeat("  ", r.Depth)+spaced(r.Name, r.Detail, r.Text)))
		case setpage.Finding:
			writeSetFinding(p, r)
		case setpage.Raw:
			p.Raw("      " + p.Paint(output.InkFaint, output.Safe(r.Text)))
		case setpage.File:
			p.Raw("  " + spaced(r.Name, r.Detail, r.Text))
		case setpage.Fact: // printed above the page
		}
	}
	if !full {
		p.Remark("The imported JSON of each tool: toolcrib show 'set:%s' --full", set.Name)
	}
}

func signed(sign string) string {
	if sign == "" {
		return "  "
	}
	return sign + " "
}

func writeSetFinding(p *output.Page, r setpage.Row) {
	state, ink := string(r.Severity), map[rules.Severity]output.Ink{rules.Block: output.InkBad, rules.Warn: output.InkWarn}[r.Severity]
	if r.Waived {
		state, ink = "waived", output.InkFaint
	}
	p.Raw("    " + p.Paint(ink, "! "+state+" "+output.Safe(r.Name)) + "  " + spaced(r.Detail, r.Text))
}

// spaced puts the parts that there are on one line, safe to print.
func spaced(parts ...string) string {
	var there []string
	for _, part := range parts {
		if part != "" {
			there = append(there, output.Safe(part))
		}
	}
	return strings.Join(there, "  ")
}
