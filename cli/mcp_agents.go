package cli

import (
	"context"
	"slices"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/mcp"
	"toolcrib/history"
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
type proposer struct{ mcp.Desk }

// toolUser is the gateway as agents may use it: nothing here answers a pending call.
type toolUser struct{ mcp.Gateway }

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
	return viewed(ctx, r.db.Calls().View, func(l gateway.LedgerReader) (int64, error) { return l.State(ctx) })
}

// List implements mcp.Registry.
func (r approved) List(ctx context.Context, id string) (registry.Live, error) {
	return viewed(ctx, r.db.View, func(reader review.Reader) (registry.Live, error) {
		entry, ok, err := registry.Layered{Finder: reader, View: r.view}.List(ctx, id)
		if err == nil && !ok {
			err = notFoundf("the allow-list %s", id)
		}
		return entry.Live, err
	})
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
