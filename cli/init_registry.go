package cli

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/store"
)

// clientsAgent is the agent whose tools wrapped clients get.
const clientsAgent = "clients"

// clientsProposal proposes it. Imported tools are of the category other, which no
// shipped list takes in. Two core tools and two of the assistant are of it too.
const clientsProposal = `{
	"type": "new", "subject": "agent:user/clients", "baseVersion": 0, "changeSet": "clients",
	"definition": {
		"id": "clients", "name": "Clients",
		"description": "The tools that MCP clients on this machine get from toolcrib: every approved tool of the category other, which imported ones have.",
		"soul": "You help the person you work for with care, do what was asked and no more, and say plainly what you did and what you could not do.",
		"allowList": {"categories": ["other"], "excludeInLocal": ["beat_architect", "get_context", "line_editor", "set_project"]}
	},
	"rationale": "Clients that start toolcrib in place of their own servers need an agent that has the approved tools of these servers.",
	"examples": ["A client lists the tools of its memory server through toolcrib.", "A client calls an approved tool of its tracker through toolcrib."],
	"testCases": [
		{"name": "reports what it did", "input": "Look up the open issues.", "expect": "pass", "output": "There are two open issues.", "checks": [{"type": "contains", "value": "open issues"}]},
		{"name": "invents nothing", "input": "Look up the open issues.", "expect": "fail", "output": "I did something else.", "checks": [{"type": "contains", "value": "open issues"}]}
	]
}`

// proposeClientsAgent proposes the agent of wrapped clients, unless it is there
// or proposed already.
func (a *app) proposeClientsAgent(ctx context.Context) ([]proposals.Proposal, error) {
	b, err := a.openSession(ctx)
	if err != nil {
		return nil, err
	}
	parsed, err := decodeProposals("the agent of clients", []byte(clientsProposal), true)
	if err != nil {
		return nil, err
	}
	subject := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: clientsAgent}
	there, err := viewed(ctx, a.db.View, func(r review.Reader) (bool, error) {
		open, err := r.OpenOn(ctx, subject)
		if err != nil {
			return false, err
		}
		_, err = r.Live(ctx, subject)
		if errors.Is(err, review.ErrNotFound) {
			return len(open) > 0, nil
		}
		return true, err
	})
	if err != nil || there {
		return nil, err
	}
	return b.desk.Propose(ctx, b.actor, []proposals.Draft{parsed[0].Draft}, true)
}

// makeEmpty makes a registry with the core alone. One that has more is not made
// empty: nothing leaves a registry.
func (a *app) makeEmpty(ctx context.Context) error {
	a.empty = true
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	alone, err := coreAlone(ctx, db)
	if err != nil || alone {
		return err
	}
	return fmt.Errorf("%s exists and has the shipped agents and tools, which never leave a registry; name a new file with --db%w", a.config.DB, hidden{review.ErrConflict})
}

// coreAlone reports whether a registry was made empty: of the shipped definitions
// it has the core tools only.
func coreAlone(ctx context.Context, db *store.DB) (bool, error) {
	assistant := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: shipped.AssistantID}
	_, err := viewed(ctx, db.View, func(r review.Reader) (registry.Live, error) { return r.Live(ctx, assistant) })
	if errors.Is(err, review.ErrNotFound) {
		return true, nil
	}
	return false, err
}
