package cli

import (
	"context"
	"slices"
	"time"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/mcp"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
)

// documents are how the command line reads and writes proposals and errors.
func documents() mcp.Documents {
	return mcp.Documents{
		Draft: func(text []byte, complete bool) (proposals.Draft, error) {
			parsed, err := decodeProposals("the arguments", text, complete)
			if err != nil {
				return proposals.Draft{}, err
			}
			return parsed[0].Draft, nil
		},
		Proposal: func(p proposals.Proposal) any { return newDocProposal(p) },
		Dossier:  func(d review.Dossier) any { return newDocWholeDetail(d) },
		Comment:  func(c proposals.Comment) any { return newDocComment(c) },
		Finding:  func(s registry.Subject, f review.Standing) any { return newDocFinding(s.String(), f) },
		Preview:  newDocOwnPreview,
		Fault: func(err error) mcp.Fault {
			f := mcp.Fault{Code: outcomeOf(err).code, Message: sentence(err)}
			for _, p := range problemsOf(err) {
				f.Problems = append(f.Problems, mcp.Problem{Path: p.Path, Message: p.Message, Rule: p.Rule})
			}
			return f
		},
	}
}

// proposer is the desk with the methods that agents may use; their messages can
// reach no other.
type proposer struct{ desk *review.Desk }

// Propose implements mcp.Desk.
func (p proposer) Propose(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error) {
	return p.desk.Propose(ctx, actor, drafts, submit)
}

// Revise implements mcp.Desk.
func (p proposer) Revise(ctx context.Context, actor proposals.Actor, id proposals.ID, draft proposals.Draft) (proposals.Proposal, error) {
	return p.desk.Revise(ctx, actor, id, draft)
}

// Submit implements mcp.Desk.
func (p proposer) Submit(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error) {
	return p.desk.Submit(ctx, actor, id)
}

// Rebase implements mcp.Desk.
func (p proposer) Rebase(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error) {
	return p.desk.Rebase(ctx, actor, id)
}

// Withdraw implements mcp.Desk.
func (p proposer) Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error) {
	return p.desk.Withdraw(ctx, actor, id, note)
}

// Comment implements mcp.Desk.
func (p proposer) Comment(ctx context.Context, actor proposals.Actor, id proposals.ID, body string, at review.Anchor) (proposals.Comment, error) {
	return p.desk.Comment(ctx, actor, id, body, at)
}

// Lint implements mcp.Desk.
func (p proposer) Lint(ctx context.Context, actor proposals.Actor, draft proposals.Draft) (review.Lint, error) {
	return p.desk.Lint(ctx, actor, draft)
}

// LintProposal implements mcp.Desk.
func (p proposer) LintProposal(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Lint, error) {
	return p.desk.LintProposal(ctx, actor, id)
}

// Preview implements mcp.Desk.
func (p proposer) Preview(ctx context.Context, ids []proposals.ID, agent string, s review.Scene) ([]review.Preview, error) {
	return p.desk.Preview(ctx, ids, agent, s)
}

// List implements mcp.Desk.
func (p proposer) List(ctx context.Context, q review.Query) (review.Page, error) {
	return p.desk.List(ctx, q)
}

// Show implements mcp.Desk.
func (p proposer) Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error) {
	return p.desk.Show(ctx, actor, id)
}

// Resolve implements mcp.Desk.
func (p proposer) Resolve(ctx context.Context, refs ...string) ([]proposals.ID, error) {
	return p.desk.Resolve(ctx, refs...)
}

// toolUser is the gateway as agents may use it: nothing here answers a pending call.
type toolUser struct{ gateway *gateway.Gateway }

// Tools implements mcp.Gateway.
func (u toolUser) Tools(ctx context.Context, c gateway.Caller) (registry.Live, []registry.Entry, error) {
	return u.gateway.Tools(ctx, c)
}

// Search implements mcp.Gateway.
func (u toolUser) Search(ctx context.Context, c gateway.Caller, query string, limit int) ([]gateway.Hit, error) {
	return u.gateway.Search(ctx, c, query, limit)
}

// Describe implements mcp.Gateway.
func (u toolUser) Describe(ctx context.Context, c gateway.Caller, name string) (gateway.Description, error) {
	return u.gateway.Describe(ctx, c, name)
}

// Execute implements mcp.Gateway.
func (u toolUser) Execute(ctx context.Context, c gateway.Caller, r gateway.Request) (gateway.Result, error) {
	return u.gateway.Execute(ctx, c, r)
}

// Outcome implements mcp.Gateway.
func (u toolUser) Outcome(ctx context.Context, c gateway.Caller, pending string) (gateway.Result, error) {
	return u.gateway.Outcome(ctx, c, pending)
}

// approved is the store as agents may read it.
type approved struct {
	db   *store.DB
	view []registry.Layer
}

// Wait implements mcp.Registry.
func (r approved) Wait(ctx context.Context, seen int64, every time.Duration) int64 {
	return r.db.Wait(ctx, seen, every)
}

// State implements mcp.Registry.
func (r approved) State(ctx context.Context) (int64, error) {
	var n int64
	err := r.db.Calls().View(ctx, func(l gateway.LedgerReader) error {
		var err error
		n, err = l.State(ctx)
		return err
	})
	return n, err
}

// List implements mcp.Registry.
func (r approved) List(ctx context.Context, id string) (registry.Live, error) {
	var found registry.Entry
	err := r.db.View(ctx, func(reader review.Reader) error {
		entry, ok, err := registry.Layered{Finder: reader, View: r.view}.List(ctx, id)
		if err == nil && !ok {
			err = notFoundf("the allow-list %s", id)
		}
		found = entry
		return err
	})
	return found.Live, err
}

// Version implements mcp.Registry.
func (r approved) Version(ctx context.Context, s registry.Subject, number int) (history.Version, error) {
	if !slices.Contains(r.view, s.Layer) {
		return history.Version{}, notFoundf("%s", s)
	}
	found, err := r.db.Versions(ctx, s, number+1, 1)
	if err == nil && (len(found) == 0 || found[0].Number != number) {
		err = notFoundf("version %d of %s", number, s)
	}
	if err != nil {
		return history.Version{}, err
	}
	if err := r.db.Counts(ctx, found[0]); review.Refuses(err) {
		return history.Version{}, notFoundf("version %d of %s", number, s)
	} else if err != nil {
		return history.Version{}, err
	}
	return found[0], nil
}
