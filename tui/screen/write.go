package screen

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/tui/wording"
)

// Write is something that writes. As an intent it is run, and the workbench does not
// end before it has answered.
type Write func(ctx context.Context) Wrote

// Wrote answers a write: what it was about, what to say, and where to go.
type Wrote struct {
	ID    proposals.ID // "" for a write about none
	Draft string       // name of the kept text that is not needed any more
	Text  string
	Open  *proposals.Proposal // to show now
	// Decided are no longer marked when it succeeded.
	Decided []proposals.ID
	// Undone names the act that failed; "" for "not written".
	Undone string
	Err    error
}

// Act does something at the desk; about identifies the answer.
func Act(about Wrote, form proposals.Form, do func(context.Context) (string, error)) Write {
	return func(ctx context.Context) Wrote {
		about.Text, about.Err = do(ctx)
		about.Undone = form.Undone
		return about
	}
}

// Drafted does what makes a proposal, and opens it.
func Drafted(draft string, do func(context.Context) (proposals.Proposal, string, error)) Write {
	return func(ctx context.Context) Wrote {
		p, said, err := do(ctx)
		return Wrote{ID: p.ID, Draft: draft, Text: said, Open: &p, Err: err}
	}
}

// DraftKind begins the name of the kept text of a decision.
func DraftKind(act proposals.Act) string {
	if act == proposals.ActRequestChanges {
		return "changes"
	}
	return string(act)
}

// draftIDLength is how long the id of a proposal is.
const draftIDLength = len("00000000-0000-0000-0000-000000000000")

// DecisionDraft names the kept text of a decision on proposals. The name is that of
// the act and of exactly these proposals, in any order, so that no other decision
// finds it.
func DecisionDraft(act proposals.Act, ids ...proposals.ID) string {
	sorted := slices.Sorted(slices.Values(ids))
	if len(sorted) == 0 {
		return ""
	}
	name := DraftKind(act) + "-" + string(sorted[0])
	if len(sorted) == 1 {
		return name
	}
	h := sha256.New()
	for _, id := range sorted {
		fmt.Fprintln(h, id)
	}
	return fmt.Sprintf("%s+%d-%x", name, len(sorted)-1, h.Sum(nil)[:8])
}

// ReadDraft returns what the name of a kept text says without its kind: the first
// proposal that it is about, and the number of further ones.
func ReadDraft(about string) (id proposals.ID, more int, ok bool) {
	if len(about) < draftIDLength {
		return "", 0, false
	}
	if rest, several := strings.CutPrefix(about[draftIDLength:], "+"); several {
		count, _, _ := strings.Cut(rest, "-")
		more, _ = strconv.Atoi(count) // 0 in a name that is none of ours
	}
	return proposals.ID(about[:draftIDLength]), more, true
}

// About names the proposals that a text is about: the first in the order of
// DecisionDraft, and how many more.
func About(ps ...proposals.Proposal) string {
	if len(ps) == 0 {
		return ""
	}
	first := slices.MinFunc(ps, func(a, b proposals.Proposal) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return AboutFirst(first, len(ps)-1)
}

// AboutFirst is About for the first proposal and the number of others.
func AboutFirst(first proposals.Proposal, more int) string {
	about := wording.Reference(first) + " " + first.Subject.String()
	if more > 0 {
		about += fmt.Sprintf(" and %d more", more)
	}
	return about
}
