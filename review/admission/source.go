package admission

import (
	"context"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/records"
)

// unseen reports a source that pins JSON which nobody can be shown: it was never
// imported here, and no version in force pins it.
func unseen(ctx context.Context, r review.RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
	hash := records.Pin(draft.Definition)
	if hash == "" {
		return nil, nil
	}
	if _, ok, err := r.Raw(ctx, hash); ok || err != nil {
		return nil, err
	}
	now, err := impact.Live(ctx, r, draft.Subject)
	if err != nil || now != nil && records.Pin(now.Definition) == hash {
		return nil, err
	}
	return misfit(proposals.RuleDefinition, "definition.source.hash",
		"pins JSON that was never imported here, so nobody can review it; import the tool (toolcrib import) or leave source out"), nil
}
