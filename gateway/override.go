package gateway

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// SetTier makes tier the approval tier of a tool for a user's calls, "" to
// take an earlier one back. Only the user may, and only for a tool that is
// user_configurable. name is an id, alias or wire name in the view of layer,
// or a subject.
func (a Answering) SetTier(ctx context.Context, actor proposals.Actor, user, name string, layer registry.Layer, tier registry.ApprovalTier) (Override, error) {
	g := a.gateway
	o, err := g.settable(ctx, actor, user, name, layer, tier)
	if err != nil {
		return o, err
	}
	err = g.ledger.Durable(ctx, func(tx LedgerTx) error {
		if err := proposals.Authorize(actor, proposals.ActSetTier, proposals.Actor{}); err != nil {
			return err
		}
		before, err := tx.Override(ctx, user, o.Tool)
		if err != nil || before == tier {
			return err
		}
		signed, err := g.signing.Open(ctx, tx, actor, a.signed)
		if err != nil {
			return err
		}
		if err := signed.Match(o.StatementAct(), ""); err != nil {
			return err
		}
		o.At, o.Signature = signed.Time(o.At), signed.Hash()
		if err := g.signing.Record(ctx, tx, signed); err != nil {
			return err
		}
		return tx.AddOverride(ctx, o)
	})
	return o, err
}

// settable returns the tier that actor wants to set, and an error if it cannot be
// set.
func (g *Gateway) settable(ctx context.Context, actor proposals.Actor, user, name string, layer registry.Layer, tier registry.ApprovalTier) (Override, error) {
	if err := proposals.Authorize(actor, proposals.ActSetTier, proposals.Actor{}); err != nil {
		return Override{}, err
	}
	if tier != "" && tier != registry.AutoApprove && tier != registry.RequiresApproval {
		return Override{}, fmt.Errorf("%w: unknown tier %s; use %s, %s or default", review.ErrText, jsondoc.Quote(string(tier)), registry.AutoApprove, registry.RequiresApproval)
	}
	if err := checkText("user", user); err != nil {
		return Override{}, err
	}
	tool, err := g.one(ctx, name, layer)
	if err != nil {
		return Override{}, err
	}
	a := tool.Definition.Tool.Approval
	if tier != "" && (a == nil || a.Tier != registry.UserConfigurable) {
		fixed := "has no tier, so it always asks"
		if a != nil {
			fixed = fmt.Sprintf("is %s", a.Tier)
		}
		return Override{}, fmt.Errorf("%w: %s %s, which the user cannot override; a proposal can make it %s", proposals.ErrAuthority, tool.Subject, fixed, registry.UserConfigurable)
	}
	if tier == registry.AutoApprove && tool.Definition.Tool.Confirms() {
		return Override{}, fmt.Errorf("%w: %s requires confirmation of each call; propose a change to lift this", proposals.ErrAuthority, tool.Subject)
	}
	return Override{ID: g.newID(), User: user, Tool: tool.Subject, Tier: tier, By: actor, At: g.stamp()}, nil
}

// one returns the active tool that a name means.
func (g *Gateway) one(ctx context.Context, name string, layer registry.Layer) (registry.Live, error) {
	subject, err := registry.ParseSubject(name)
	if err == nil {
		name = subject.ID
	}
	var found []registry.Entry
	err = g.ledger.View(ctx, func(r LedgerReader) (err error) {
		found, err = review.Named(ctx, r, name, layer)
		return err
	})
	if err != nil {
		return registry.Live{}, err
	}
	found = nearest(name, found)
	switch {
	case len(found) > 1:
		return registry.Live{}, ambiguous(name, found)
	case len(found) == 0, !found[0].Active(), subject != (registry.Subject{}) && found[0].Subject != subject:
		return registry.Live{}, unknown(name)
	}
	return found[0].Live, nil
}

// Overrides lists the tiers that a user has chosen, by tool.
func (g *Gateway) Overrides(ctx context.Context, user string) ([]Override, error) {
	var list []Override
	err := g.ledger.View(ctx, func(r LedgerReader) error {
		var err error
		list, err = r.Overrides(ctx, user)
		return err
	})
	return list, err
}

// Refusals returns the hours in which calls of an agent were refused so often
// that some were only counted, the newest first.
func (g *Gateway) Refusals(ctx context.Context, q RefusalQuery) ([]Refusals, error) {
	var list []Refusals
	err := g.ledger.View(ctx, func(r LedgerReader) error {
		var err error
		list, err = r.Refusals(ctx, q)
		return err
	})
	return list, err
}

// Calls returns a page of the audit of calls, the newest first. The Seq of the
// last one continues it.
func (g *Gateway) Calls(ctx context.Context, q CallQuery) ([]Call, error) {
	var list []Call
	err := g.ledger.View(ctx, func(r LedgerReader) error {
		var err error
		list, err = r.Calls(ctx, q)
		return err
	})
	return list, err
}
