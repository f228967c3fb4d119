package screen

import (
	"context"

	"toolcrib/proposals"
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
