// This file reads proposals for a decision, makes the decision, and describes its outcome.

package desk

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// ReadForDecision reads the current state of ps. If act is an approval, it also reads the other members of
// their change sets. It calls report with its progress.
func (u *User) ReadForDecision(ctx context.Context, act proposals.Act, ps []proposals.Proposal, report func(done, total int)) ([]review.Dossier, error) {
	var out []review.Dossier
	read := map[proposals.ID]bool{}
	for i, p := range ps {
		if read[p.ID] {
			continue
		}
		report(i, len(ps))
		members, err := []review.Dossier(nil), error(nil)
		if act == proposals.ActApprove && p.ChangeSet != "" && p.State.Open() {
			var set review.ChangeSet
			set, err = u.Desk.ShowSet(ctx, u.Actor, p.ChangeSet)
			members = set.Members
		}
		if err == nil && !slices.ContainsFunc(members, func(d review.Dossier) bool { return d.Proposal.ID == p.ID }) {
			var d review.Dossier
			d, err = u.Desk.Show(ctx, u.Actor, p.ID)
			members = append(members, d)
		}
		if err != nil {
			return out, err
		}
		for _, d := range members {
			if !read[d.Proposal.ID] {
				read[d.Proposal.ID] = true
				out = append(out, d)
			}
		}
	}
	return out, nil
}

// Choices returns a choice for each dossier, with the review digest that the user has seen. unread contains
// the number of unread parts that the user accepts in each dossier; it may be nil.
func Choices(ds []review.Dossier, unread []int) []review.Choice {
	out := make([]review.Choice, len(ds))
	for i, d := range ds {
		out[i] = review.Choice{ID: d.Proposal.ID, Expect: d.Digest}
		if unread != nil {
			out[i].Unread = unread[i]
		}
	}
	return out
}

// maxNamed is the maximum number of subjects that a message lists by name.
const maxNamed = 4

// decided describes the outcome of the given decisions.
func decided(act proposals.Act, decisions []proposals.Decision) string {
	var names, waiting []string
	for _, d := range decisions {
		name := d.Subject.String()
		switch {
		case d.Verdict == proposals.VerdictEndorsed:
			waiting = append(waiting, name+" ("+d.Progress()+")")
			continue
		case act == proposals.ActApprove:
			name += " version " + strconv.Itoa(d.Version)
		}
		names = append(names, name)
	}
	var done []string
	if len(names) > 0 {
		done = append(done, act.Form(len(decisions)).Done+": "+someOf(names))
	}
	if len(waiting) > 0 {
		done = append(done, "Approved, not live yet: "+someOf(waiting))
	}
	return strings.Join(done, ". ")
}

// someOf joins the names. It lists up to maxNamed names, followed by the number of omitted names.
func someOf(names []string) string {
	if n := len(names); n > maxNamed {
		names = append(names[:maxNamed], strconv.Itoa(n-maxNamed)+" more")
	}
	return wording.Enumerate(names)
}

// Decision returns a write that makes the same decision on all proposals. If a proposal cannot be decided,
// the write decides none. draft is the name of the unsent reason. set is the name of the change set that
// contains all of the proposals, or "".
func (u *User) Decision(act proposals.Act, choices []review.Choice, reason, draft, set string) screen.Write {
	ids := lists.Map(choices, func(c review.Choice) proposals.ID { return c.ID })
	about := screen.Wrote{Draft: draft, Undone: act.Form(len(choices)).Undone, Decided: ids}
	return func(ctx context.Context) screen.Wrote {
		desk, err := Decider(u.Desk), error(nil)
		if u.Signer != nil {
			desk, err = u.Signer.Decide(ctx, act, choices, reason, u.Ask)
		}
		var decisions []proposals.Decision
		if err == nil {
			decisions, err = desk.Decide(ctx, u.Actor, choices, proposals.VerdictOf(act), reason)
		}
		if errors.Is(err, review.ErrDigest) && len(choices) > 1 {
			err = errors.New("nothing decided: " + wording.OneLine(err))
		}
		if about.Err = err; err == nil {
			about.Text, about.Undo = decided(act, decisions), u.undo(act, decisions, set)
		}
		return about
	}
}
