package proposals

import "errors"

// ActRebase merges a proposal onto the live version. It is a revise, and the log
// has it as one.
const ActRebase Act = "rebase"

// Form has the texts for asking a person about an act, and reporting it.
type Form struct {
	Title       string // of the question
	Verb        string // what a yes does
	Consequence string // the consequence, as sentences
	Reason      bool   // it needs a reason
	Done        string // message after success
	Undone      string // message after failure
}

// forms has the words of every act that a user is asked about: for one
// proposal, and for several where they can be decided together.
var forms = map[Act][2]Form{
	ActApprove: {
		{Title: "Approve", Verb: "approve", Done: "Live", Undone: "not approved"},
		{Verb: "approve all", Consequence: "All go live, or none."},
	},
	ActRequestChanges: {
		{
			Title: "Send back", Verb: "send it back", Consequence: "Returns it to its author with your reason.", Reason: true,
			Done: "Sent back", Undone: "not sent back",
		},
		{Verb: "send them back", Consequence: "Returns each to its author with your reason."},
	},
	ActReject: {
		{
			Title: "Reject", Verb: "reject it for good", Consequence: "Closes it for good. Its author sees your reason.", Reason: true,
			Done: "Rejected", Undone: "not rejected",
		},
		{Verb: "reject them for good", Consequence: "Closes each for good. Its author sees your reason."},
	},
	ActWaive: {{
		Title: "Waive a finding", Verb: "waive it", Reason: true, Done: "Waived", Undone: "not waived",
		Consequence: "The waiver ends when its sentence or an address in its field changes, or the field gets a new finding. Your reason is recorded.",
	}},
	ActUnwaive: {{
		Title: "End a waiver", Verb: "end it", Reason: true, Done: "Ended the waiver of", Undone: "the waiver still holds",
		Consequence: "The finding is open again. The waiver and its end stay in the thread and in the log.",
	}},
	ActComment:  {{Title: "Comment", Verb: "send", Reason: true, Done: "Comment sent", Undone: "comment not sent"}},
	ActSubmit:   {{Title: "Submit", Verb: "submit it", Consequence: "Sends it to the Chief of Staff and opens an issue.", Done: "Submitted", Undone: "not submitted"}},
	ActWithdraw: {{Title: "Withdraw", Verb: "withdraw it", Consequence: "Closes it without a decision.", Done: "Withdrawn", Undone: "not withdrawn"}},
	ActRebase: {{
		Title: "Rebase", Verb: "rebase it", Done: "Rebased", Undone: "not rebased",
		Consequence: "Merges your changes onto the live version as a new revision. If they conflict, you see the conflicts and nothing is saved.",
	}},
	ActAssess: {{Done: "Assessed again", Undone: "not assessed"}},
	ActApproveCall: {{
		Title: "Approve a call", Verb: "run it", Consequence: "It runs once, with exactly these arguments.", Done: "Ran", Undone: "not run",
	}},
	ActRefuseCall: {{
		Title: "Refuse a call", Verb: "refuse it", Consequence: "It will not run. Its agent sees your reason.", Reason: true, Done: "Refused", Undone: "not refused",
	}},
}

// Form returns the words of an act on n proposals.
func (a Act) Form(n int) Form {
	f := forms[a][0]
	if n > 1 {
		f.Verb, f.Consequence = forms[a][1].Verb, forms[a][1].Consequence
	}
	return f
}

// ErrNotStale is why a proposal cannot be rebased that is up to date.
var ErrNotStale = errors.New("it is not stale")

// Can returns nil when actor may do act to p in its present state, else
// ErrNotStale or an error that wraps ErrAuthority or ErrState.
func Can(actor Actor, act Act, p Proposal) error {
	asked := act
	if act == ActRebase {
		asked = ActRevise
	}
	if err := Authorize(actor, asked, p.Author); err != nil || act == ActComment {
		return err
	}
	if _, err := Next(p.State, asked); err != nil {
		return err
	}
	if act == ActRebase && !p.Stale() {
		return ErrNotStale
	}
	return nil
}
