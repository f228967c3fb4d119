package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/cli/command"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/store/catalog"
)

// TakeReport proposes tools that a following machine has found on a server without an approval. The proposer is the
// agent of the machine's token, subject to the limits for agents, and the proposals have a separate change set. A
// rejected tool does not affect the others. A comment on each proposal states the number of machines that have reported
// the tool, according to the token's holders.
func TakeReport(ctx context.Context, a *command.App, t tokens.Token, machine, server string, document []byte) (made int, err error) {
	doc, err := wire.Decode(document)
	if err != nil {
		return 0, err
	}
	if doc.Format != wire.MCP || slices.ContainsFunc(doc.Items, func(it wire.Item) bool { return it.Format != wire.MCP }) {
		return 0, fmt.Errorf("%w: a report contains only tools in the format of MCP", wire.ErrFormat)
	}
	if len(doc.Items) == 0 && len(doc.Skipped) > 0 {
		return 0, fmt.Errorf("%w: the reported tool %s", wire.ErrFormat, doc.Skipped[0].Reason)
	}
	by, origin := t.Caller.Actor, intake.Origin{Label: registry.ServerName(server), Server: true, Layer: a.Config.Layer}
	set := "reported_" + origin.Label
	if origin.Set, err = a.FreeSet(ctx, by, set[:min(len(set), maxSet)]); err != nil {
		return 0, err
	}
	steps, _, err := plan(ctx, a, doc, origin)
	if err != nil {
		return 0, err
	}
	if err := leaveOutPending(ctx, a, steps, true); err != nil {
		return 0, err
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return 0, err
	}
	raws := lists.Index(doc.Items, func(it wire.Item) (string, []byte) { return it.Hash(), it.Raw })
	// The imported data is stored with the first accepted machine below, so that rejected reports do not fill the
	// database.
	drafting := b.Desk.Importing(raws).Drafting
	var refused error
	for _, s := range steps {
		if s.Draft == nil || s.Change == intake.Deactivate { // the machine may have another release of the server
			continue
		}
		_, err := drafting.TakeIn(ctx, by, []proposals.Draft{*s.Draft}, true)
		if err == nil {
			made++
			continue
		}
		if errors.Is(err, review.ErrPace) || errors.Is(err, review.ErrLimit) { // all later tools would also be rejected
			refused = err
			break
		}
		refused = cmp.Or(refused, err)
	}
	open, err := openOf(ctx, a, origin.Label)
	if err != nil {
		return made, err
	}
	for _, it := range doc.Items {
		at := slices.IndexFunc(open, func(p review.Bundle) bool { return p.Revision.Draft.Definition.Tool.Source.Hash == it.Hash() })
		if at < 0 {
			continue
		}
		if err := a.CountMachine(ctx, b, t, machine, origin.Label, catalog.Raw{Hash: it.Hash(), Body: it.Raw}, open[at].Revision); err != nil {
			return made, err
		}
	}
	return made, refused
}

// maxSet leaves room for a number in the 64 characters of a change set's name.
const maxSet = 56
