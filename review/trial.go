package review

import (
	"context"
	"sync"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
)

// trials keeps how test cases came out, by their content. Running them can take
// a while, so it is done before a write transaction begins, and what is looked
// at again costs nothing.
type trials struct {
	mu      sync.Mutex
	results map[string][]harness.Result
}

// maxTrials bounds what is kept; when there are more, all are forgotten.
const maxTrials = 4096

// of returns how the test cases of a draft come out on their recorded answers.
func (t *trials) of(ctx context.Context, draft proposals.Draft) []harness.Result {
	if len(draft.TestCases) == 0 {
		return nil
	}
	text, err := jsondoc.Marshal(draft.TestCases)
	if err != nil {
		return harness.Suite{Cases: draft.TestCases}.Run(ctx)
	}
	key := history.Seal(string(text))
	t.mu.Lock()
	results, known := t.results[key]
	t.mu.Unlock()
	if known {
		return results
	}
	results = harness.Suite{Cases: draft.TestCases}.Run(ctx)
	if ctx.Err() != nil {
		return results
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.results == nil || len(t.results) >= maxTrials {
		t.results = map[string][]harness.Result{}
	}
	t.results[key] = results
	return results
}

// try runs the test cases of drafts ahead of the transaction that needs the
// results.
func (d *Desk) try(ctx context.Context, drafts ...proposals.Draft) {
	for _, draft := range drafts {
		d.trials.of(ctx, draft)
	}
}
