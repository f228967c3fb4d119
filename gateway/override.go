// This file sets approval tiers for the calls of a user, and reads the call log.

package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/impact"
)

// TierChoice is a user's choice of an approval tier for calls of certain tools. It applies only to calls of this user.
type TierChoice struct {
	User  string
	Tier  registry.ApprovalTier // "" removes the user's earlier choice
	Layer registry.Layer        // layer that determines the view, which contains the tools
	// Tools contains ids, aliases, wire names, or subjects of tools. If Tools is empty, the choice applies to the
	// active tools of the MCP server with the name Server that have at least one of the annotations in Hints. Hints
	// contains keys of annotations in a definition. An empty Server or Hints does not restrict the selection.
	Tools  []string
	Server string
	Hints  []string
}

// TierChange is the effect of a TierChoice on each selected tool.
type TierChange struct {
	Set   []Override
	Same  []Override  // tools that already have the tier; By and At are zero if no user has set the tier
	Fixed []FixedTier // tools for which the tier cannot be set; if TierChoice.Tools is not empty, Fixed is always empty, because such a tool is then an error
}

// FixedTier is a tool for which the user cannot set the tier, and the reason.
type FixedTier struct {
	Tool registry.Subject `json:"tool"`
	Why  string           `json:"reason"`
}

// Tiers returns the result that SetTiers would return for c, without setting any tier.
func (g *Gateway) Tiers(ctx context.Context, actor proposals.Actor, c TierChoice) (TierChange, error) {
	return view(ctx, g.ledger, func(r LedgerReader) (TierChange, error) { return g.tierChange(ctx, r, actor, c) })
}

// view calls read with a snapshot of l, and returns the result of read.
func view[T any](ctx context.Context, l Ledger, read func(LedgerReader) (T, error)) (found T, err error) {
	err = l.View(ctx, func(r LedgerReader) (err error) {
		found, err = read(r)
		return err
	})
	return found, err
}

// SetTiers sets the approval tier of the selected tools for the user c.User to c.Tier, in a single transaction. All
// processes apply the new tier to the next call. The actor must be a user. The tier requires_approval can be set for
// every tool. The tier auto_approve can be set only for tools with the approved tier user_configurable.
func (a Answering) SetTiers(ctx context.Context, actor proposals.Actor, c TierChoice) (TierChange, error) {
	g := a.gateway
	var change TierChange
	err := g.ledger.Durable(ctx, func(tx LedgerTx) (err error) {
		if change, err = g.tierChange(ctx, tx.LedgerReader, actor, c); err != nil || len(change.Set) == 0 {
			return err
		}
		signed, err := g.signing.Open(ctx, tx, actor, a.signed)
		if err != nil {
			return err
		}
		if err := signed.Match(tierAct(c, change.Set), ""); err != nil {
			return err
		}
		if err := g.signing.Record(ctx, tx, signed); err != nil {
			return err
		}
		for i := range change.Set {
			o := &change.Set[i]
			o.At, o.Signature = signed.Time(o.At), signed.Hash()
			if err := tx.AddOverride(ctx, *o); err != nil {
				return err
			}
		}
		return nil
	})
	return change, err
}

// tierChange returns the effect of c in the snapshot of r. It returns an error if the actor is not allowed to set
// tiers, or if c is invalid.
func (g *Gateway) tierChange(ctx context.Context, r LedgerReader, actor proposals.Actor, c TierChoice) (TierChange, error) {
	var change TierChange
	if err := proposals.Authorize(actor, proposals.ActSetTier, proposals.Actor{}); err != nil {
		return change, err
	}
	if c.Tier != "" && c.Tier != registry.AutoApprove && c.Tier != registry.RequiresApproval {
		return change, fmt.Errorf("%w: unknown tier %s; use %s, %s or default", review.ErrText, jsondoc.Quote(string(c.Tier)), registry.AutoApprove, registry.RequiresApproval)
	}
	if err := checkText("user", c.User); err != nil {
		return change, err
	}
	tools, err := c.tools(ctx, r)
	if err != nil {
		return change, err
	}
	list, err := r.Overrides(ctx, c.User)
	if err != nil {
		return change, err
	}
	before := lists.Index(list, func(o Override) (registry.Subject, Override) { return o.Tool, o })
	var refused []error
	at := g.stamp()
	for _, tool := range tools {
		was, why := before[tool.Subject], fixedTier(tool, c.Tier)
		switch {
		case why != "" && len(c.Tools) > 0:
			refused = append(refused, fmt.Errorf("%w: %s %s", proposals.ErrAuthority, tool.Subject, why))
		case why != "":
			change.Fixed = append(change.Fixed, FixedTier{tool.Subject, why})
		case was.Tier == c.Tier, was.Tier == "" && tool.Definition.Tool.Approval.Fixes(c.Tier):
			was.User, was.Tool, was.Tier = c.User, tool.Subject, c.Tier
			change.Same = append(change.Same, was)
		default:
			change.Set = append(change.Set, Override{ID: g.newID(), User: c.User, Tool: tool.Subject, Tier: c.Tier, By: actor, At: at})
		}
	}
	return change, errors.Join(refused...)
}

// fixedTier returns the reason why the user cannot set the given tier for a tool. It returns "" if the user can set the
// tier.
func fixedTier(tool registry.Live, tier registry.ApprovalTier) string {
	t := tool.Definition.Tool
	switch {
	case tier != registry.AutoApprove:
		return ""
	case t.NeedsConfirmation():
		return "requires confirmation of each call; propose a change that removes this requirement"
	case t.Approval == nil:
		return fmt.Sprintf("has no approval tier, so every call requires approval; to permit other tiers, propose the tier %s", registry.UserConfigurable)
	case t.Approval.Tier == registry.RequiresApproval:
		return fmt.Sprintf("has the tier %s, which the user cannot override; a proposal can set the tier %s", t.Approval.Tier, registry.UserConfigurable)
	}
	return ""
}

// tools returns the tools that c applies to, without duplicates.
func (c TierChoice) tools(ctx context.Context, r LedgerReader) ([]registry.Live, error) {
	if len(c.Tools) == 0 {
		return c.selected(ctx, r)
	}
	var tools []registry.Live
	var missing []error
	for _, name := range c.Tools {
		tool, err := findTool(ctx, r, name, c.Layer)
		if errors.As(err, new(*Error)) {
			missing = append(missing, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(tools, func(o registry.Live) bool { return o.Subject == tool.Subject }) {
			tools = append(tools, tool)
		}
	}
	return tools, errors.Join(missing...)
}

// selected returns the active tools that c.Server and c.Hints select. It returns an *Error if no tool is selected.
func (c TierChoice) selected(ctx context.Context, r LedgerReader) ([]registry.Live, error) {
	all, _, err := registry.Layered{Finder: r, View: c.Layer.View()}.ByKind(ctx, registry.ActionTool, 0)
	if err != nil {
		return nil, err
	}
	var tools []registry.Live
	for _, e := range all {
		t := e.Definition.Tool
		if (c.Server == "" || t.Server() == c.Server) && (len(c.Hints) == 0 || slices.ContainsFunc(c.Hints, t.Has)) {
			tools = append(tools, e.Live)
		}
	}
	if len(tools) > 0 {
		return tools, nil
	}
	what := "No approved tool"
	if c.Server != "" {
		what += " of the server " + jsondoc.Quote(c.Server)
	}
	if len(c.Hints) > 0 {
		what += " with the annotation " + strings.Join(c.Hints, " or ")
	}
	return nil, &Error{Code: CodeUnknown, Message: what + " was found."}
}

// findTool returns the active tool with the given name: an id, an alias, a wire name, or a subject. It returns an
// *Error if the name is unknown or ambiguous.
func findTool(ctx context.Context, r LedgerReader, name string, layer registry.Layer) (registry.Live, error) {
	subject, err := registry.ParseSubject(name)
	if err == nil {
		name = subject.ID
	}
	found, err := impact.Named(ctx, r, name, layer)
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

// Overrides returns the tiers that are set for the given user, in the order of the tools.
func (g *Gateway) Overrides(ctx context.Context, user string) ([]Override, error) {
	return view(ctx, g.ledger, func(r LedgerReader) ([]Override, error) { return r.Overrides(ctx, user) })
}

// Refusals returns the numbers of refused calls in the hours that q selects, the newest first. It omits hours in which
// every refused call was logged.
func (g *Gateway) Refusals(ctx context.Context, q RefusalQuery) ([]Refusals, error) {
	return view(ctx, g.ledger, func(r LedgerReader) ([]Refusals, error) { return r.Refusals(ctx, q) })
}

// Calls returns the calls in the call log that q selects, the newest first. To read the next page, set CallQuery.Before
// to the Seq of the last call.
func (g *Gateway) Calls(ctx context.Context, q CallQuery) ([]Call, error) {
	return view(ctx, g.ledger, func(r LedgerReader) ([]Call, error) { return r.Calls(ctx, q) })
}
