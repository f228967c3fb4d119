package imports

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/catalog"
)

// TakeReport proposes the tools of a server that a machine which follows the registry met
// without an approval. A comment on each proposal says how many machines met it.
func TakeReport(ctx context.Context, a *command.App, by proposals.Actor, machine, server string, document []byte) (made int, err error) {
	taken, err := Import{Server: server, Watched: true, Observed: true, reported: true}.Take(ctx, a, server, document, nil)
	if err != nil {
		return 0, err
	}
	open, err := openOf(ctx, a, taken.Origin.Label)
	if err != nil {
		return 0, err
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return 0, err
	}
	for _, item := range taken.doc.Items {
		at := slices.IndexFunc(open, func(p review.Bundle) bool { return p.Revision.Draft.Definition.Tool.Source.Hash == item.Hash() })
		if at < 0 {
			continue
		}
		n, err := catalog.KeepReport(ctx, a.DB.Imports, catalog.Import{ID: a.Env.NewID(), At: a.Env.Now(), Actor: by.String(), Label: item.Hash(), Hash: registry.HashBytes([]byte(machine))})
		if err != nil {
			return 0, err
		}
		if !worthTelling(n) {
			continue
		}
		text := fmt.Sprintf("%s that %s this registry met it.", output.Counted(n, "machine"), map[bool]string{true: "follows", false: "follow"}[n == 1])
		if _, err := b.Desk.Drafting.Comment(ctx, by, open[at].Proposal.ID, text, review.Anchor{}); err != nil {
			return 0, err
		}
	}
	return len(taken.Made), nil
}

// worthTelling reports whether a number of machines is 1, 2, 5, 10, 20, 50, and so on; 0 is a
// machine that was counted before.
func worthTelling(n int) bool {
	for n > 0 && n%10 == 0 {
		n /= 10
	}
	return n == 1 || n == 2 || n == 5
}
