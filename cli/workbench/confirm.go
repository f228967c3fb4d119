// This file completes the commands that users enter in the dialogue, and requires confirmation of decisions.

package workbench

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// extraArgs maps each command that acts on a proposal to the number of its arguments after the id of the proposal. If
// the user enters no id, the command acts on the current proposal.
var extraArgs = map[string]int{
	"show": 0, "diff": 0, "review": 0, "preview": 0, "approve": 0, "needs-changes": 0, "reject": 0, "withdraw": 0,
	"comment": 0, "rebase": 0, "regroup": 0, "submit": 0, "waive": 1, "unwaive": 1, "revise": 1,
}

// confirmed maps each command that requires a confirmation to its act.
var confirmed = map[string]proposals.Act{
	"approve": proposals.ActApprove, "needs-changes": proposals.ActRequestChanges, "reject": proposals.ActReject, "withdraw": proposals.ActWithdraw,
	"submit": proposals.ActSubmit, "rebase": proposals.ActRebase, "waive": proposals.ActWaive, "unwaive": proposals.ActUnwaive,
	"comment": proposals.ActComment, "calls approve": proposals.ActApproveCall, "calls refuse": proposals.ActRefuseCall,
}

// entered is a parsed command that the user entered.
type entered struct {
	cmd  *cobra.Command
	name string
	args []string // arguments and flags, without the name of the command
	refs []string // arguments that are not flags
}

func (o entered) has(flags ...string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return o.cmd.Flags().Changed(f) })
}

// words returns the complete command line.
func (o entered) words() []string { return append(strings.Fields(o.name), o.args...) }

// complete adds missing parts to an entered command: the id of the current proposal, a reason, and the digest of the
// content that the user read. If the command makes a decision, complete prompts the user to confirm the decision. It
// returns false if the command must not run.
func (d *dialogue) complete(ctx context.Context, words []string) ([]string, bool) {
	t, ok := d.parse(words)
	if !ok { // the command reports the error
		return words, true
	}
	switch {
	case slices.Contains(endless, t.cmd.Name()):
		d.print("Toolcrib %s runs until it is stopped; start it in another terminal.", t.cmd.Name())
		return nil, false
	case !t.cmd.HasParent() && !t.has("version", "help") && len(t.refs) == 0:
		d.print("This is the workbench; enter help for the commands.")
		return nil, false
	}
	if t.has("help") {
		return words, true
	}
	beside, about := extraArgs[t.name]
	ref := d.about
	if strings.HasPrefix(t.name, "calls ") {
		ref = d.call
	}
	implied := about && !t.has("agent", "alone", "into") || slices.Contains([]string{"calls approve", "calls refuse", "calls show"}, t.name)
	if implied && ref != "" && len(t.refs) == beside {
		t.args, t.refs = append([]string{ref}, t.args...), append([]string{ref}, t.refs...)
	}
	if about && len(t.refs) > beside {
		d.setCurrent(ctx, t.refs[0])
	}
	act, asked := confirmed[t.name]
	switch {
	case !asked || t.has("print-statement", "dry-run") || d.app.Flags.DryRun:
		return t.words(), true
	case slices.Contains(t.refs, "-"):
		d.print("Enter the ids instead of -, because this dialogue reads the standard input itself.")
		return nil, false
	case t.has("as", "db", "project", "workspace"):
		d.print("--as, --db, --project, and --workspace cannot be used for a decision in this dialogue. Start another dialogue with these flags: toolcrib --accessible")
		return nil, false
	case strings.HasPrefix(t.name, "calls "):
		ok = d.confirmCall(&t, act)
	default:
		ok = d.confirm(ctx, &t, act)
	}
	return t.words(), ok
}

// parse parses an entered command without running it. It returns false if the command or its flags are invalid.
func (d *dialogue) parse(words []string) (entered, bool) {
	cmd, args, err := d.app.Program.Root(&command.App{Printer: &output.Printer{Env: d.app.Env}}).Find(words)
	if err != nil {
		return entered{}, false
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(args); err != nil {
		return entered{}, false
	}
	t := entered{cmd: cmd, name: strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), args: args, refs: cmd.Flags().Args()}
	switch {
	case cmd.HasParent():
		return t, true
	case !t.has("approve"):
		t.name = "" // an unknown command, or the program without a command
		return t, true
	}
	// toolcrib --approve ID has the same effect as toolcrib approve ID.
	return d.parse(append([]string{"approve"}, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "--approve") })...))
}

// setCurrent makes the proposal or change set that ref denotes current. It does nothing if ref is invalid or denotes
// several proposals.
func (d *dialogue) setCurrent(ctx context.Context, ref string) {
	if _, set := review.ChangeSetRef(ref); set {
		d.current, d.about = "", ref
		return
	}
	ids, err := d.desk.Desk.Reading.Resolve(ctx, ref)
	if err != nil || len(ids) != 1 || ids[0] == d.current {
		return
	}
	d.current, d.about = ids[0], string(ids[0])
	if now, err := d.desk.Desk.Reading.Show(ctx, d.desk.Actor, ids[0]); err == nil && now.Proposal.Issue > 0 {
		d.about = now.Proposal.Handle()
	}
}

// confirm describes the effect of a decision, and prompts the user for a confirmation and, if the decision requires
// one, a reason. It returns false if the command must not run.
func (d *dialogue) confirm(ctx context.Context, t *entered, act proposals.Act) bool {
	refs := t.refs
	if act == proposals.ActWaive || act == proposals.ActUnwaive {
		refs = refs[:min(1, len(refs))]
	}
	ids, err := d.desk.Desk.Reading.Resolve(ctx, refs...)
	if err != nil || len(ids) == 0 { // the command reports the error
		t.args = append(t.args, "--dry-run")
		return true
	}
	if act == proposals.ActApprove && !t.has("expect", "unseen") && !d.bindApproval(ctx, t, ids) {
		return false
	}
	form := act.Form(len(ids))
	if act != proposals.ActComment {
		for _, id := range ids {
			if !d.describe(ctx, id, act) { // the command reports the problem and changes nothing
				t.args = append(t.args, "--dry-run")
				return true
			}
		}
		if form.Consequence != "" {
			d.print("%s", form.Consequence)
		}
	}
	if form.Reason && !d.reason(t, form.Title) {
		return false
	}
	return act == proposals.ActComment || d.askYes(len(ids), form.Verb)
}

// bindApproval adds the digests of the content that the user read in this dialogue to an approval. If the user has not
// yet read a change, or a finding about hidden characters, bindApproval prints the command that shows the unread part,
// and returns false.
func (d *dialogue) bindApproval(ctx context.Context, t *entered, ids []proposals.ID) bool {
	whole := true
	for _, id := range ids {
		read, missing := d.read[id], "show"
		handle := string(id)
		if read != nil {
			handle, missing = read.Proposal.Handle(), read.missing()
		} else if now, err := d.desk.Desk.Reading.Show(ctx, d.desk.Actor, id); err == nil {
			handle = now.Proposal.Handle()
			missing = (&readProposal{Dossier: now}).missing()
		}
		if missing != "" {
			d.print("You have not read %s yet: enter %s %s, and read it to the end.", handle, missing, strings.TrimPrefix(handle, "#"))
			whole = false
			continue
		}
		t.args = append(t.args, "--expect="+read.Digest)
	}
	return whole
}

// missing returns the command that shows the unread part of the proposal, which the user must read before an approval.
// It returns "" if the user has read everything.
func (h *readProposal) missing() string {
	read := func(by ...string) bool {
		return slices.ContainsFunc(by, func(c string) bool { return slices.Contains(h.by, c) })
	}
	hidden := slices.ContainsFunc(h.Standing, func(s review.Standing) bool { return !visible.Clean(s.Passage) })
	switch {
	case h.Proposal.BaseVersion > 0 && !read("diff"):
		return "diff"
	case h.Proposal.BaseVersion == 0 && !read("diff", "show"):
		return "show"
	case hidden && !read("show", "review"):
		return "show"
	}
	return ""
}

// describe prints the effect of a decision on a proposal. If the decision is not possible, describe returns false, and
// the caller runs the command to report the problem.
func (d *dialogue) describe(ctx context.Context, id proposals.ID, act proposals.Act) bool {
	now, err := d.desk.Desk.Reading.Show(ctx, d.desk.Actor, id)
	if err != nil || proposals.Can(d.desk.Actor, act, now.Proposal) != nil || act == proposals.ActApprove && len(now.Obstacles) > 0 {
		return false
	}
	p := now.Proposal
	becomes := ""
	if act == proposals.ActApprove {
		becomes = ", becomes version " + output.Itoa(p.BaseVersion+1)
	}
	d.print("%s: %s %s, revision %d%s.", p.Handle(), p.Type, p.Subject, p.Revision, becomes)
	if p.Approvals != nil {
		d.print("Approvals: %s.", wording.BeforeApproval(*p.Approvals))
	}
	if act == proposals.ActWaive || act == proposals.ActUnwaive {
		return true
	}
	for _, r := range review.OpenByRule(now.Standing) {
		d.print("Open: %s %s, %s.", r.Severity, r.Rule, wording.Count(r.Count, "finding", "findings"))
	}
	if act == proposals.ActApprove {
		for _, c := range wording.TestChanges(now.TestChanges()) {
			d.print("It %s.", c.Text)
		}
		d.print("Policy: %s.", now.Policy.Deciding())
	}
	return true
}

// confirmCall is like confirm, for a decision about a waiting call.
func (d *dialogue) confirmCall(t *entered, act proposals.Act) bool {
	if len(t.refs) != 1 {
		return true
	}
	d.call = t.refs[0]
	digest := ""
	for id, read := range d.calls {
		if strings.HasPrefix(id, d.call) {
			digest = read
		}
	}
	form := act.Form(1)
	switch {
	case form.Reason:
		if !d.reason(t, form.Title) {
			return false
		}
	case digest == "":
		d.print("You have not read the arguments of this call yet: enter calls show.")
		return false
	case !t.has("expect"):
		t.args = append(t.args, "--expect="+digest)
	}
	d.print("%s", form.Consequence)
	return d.askYes(1, form.Verb)
}

// reason prompts the user for the text that a command requires, and adds the text to the command. After a failed
// attempt, the user can reuse the previous text. reason returns false if the user enters no text.
func (d *dialogue) reason(t *entered, title string) bool {
	if t.has("note", "note-file") {
		return true
	}
	about := t.name + " " + strings.Join(t.refs, " ")
	before := d.reasons[about]
	if before != "" {
		d.print("Your last reason was: %s", before)
		d.print("To use this reason again, enter no text.")
	}
	d.print("%s: enter your text, and end it with a line that has only a period.", title)
	var lines []string
	for {
		line, more := d.ask("| ")
		if !more {
			return false // the input ended within the text
		}
		if line == "." {
			break
		}
		lines = append(lines, line)
	}
	text := cmp.Or(strings.TrimSpace(strings.Join(lines, "\n")), before)
	if text == "" {
		d.print("A reason is required. Nothing changed.")
		return false
	}
	d.reasons[about] = text
	t.args = append(t.args, "--note="+text)
	return true
}

// askYes prompts the user for a confirmation and reports whether the user confirmed. For a decision on n objects, the
// user must type n and "y", such as "3y", or only "y" if n is 1.
func (d *dialogue) askYes(n int, verb string) bool {
	want := "y"
	if n > 1 {
		want = output.Itoa(n) + "y"
	}
	answer, _ := d.ask("Type " + want + " and press enter to " + verb + "; anything else cancels: ")
	if answer != want {
		d.print("Nothing changed.")
	}
	return answer == want
}
