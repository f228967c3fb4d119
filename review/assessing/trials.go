package assessing

import (
	"context"
	"slices"
	"sync"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
	"toolcrib/review/impact"
)

// Trials caches the results of test cases, by the hashes of the cases and of the definition. Test cases run before a
// write transaction begins, because running them may take long and asking a model takes seconds.
type Trials struct {
	mu      sync.Mutex
	results map[string][]harness.Result
}

// maxTrials limits the cache. When it is full, it is cleared.
const maxTrials = 4096

// run evaluates the test cases of a draft on their recorded answers, and on answers from the model or, without a model,
// from an earlier run.
func (t *Trials) run(ctx context.Context, draft proposals.Draft, model harness.Model) []harness.Result {
	if len(draft.TestCases) == 0 {
		return nil
	}
	suite := harness.Suite{Cases: draft.TestCases, Model: model}
	text, err := jsondoc.Marshal(draft.TestCases)
	if err != nil {
		return suite.Run(ctx)
	}
	fields := []string{string(text)}
	if slices.ContainsFunc(draft.TestCases, func(c proposals.TestCase) bool { return c.Output == nil }) {
		fields = append(fields, draft.Definition.Hash())
		if model != nil {
			suite.Prompt = impact.Instruction(draft.Definition)
		}
	}
	key := history.Seal(fields...)
	t.mu.Lock()
	results, known := t.results[key]
	t.mu.Unlock()
	if known && (model == nil || !slices.ContainsFunc(results, func(r harness.Result) bool { return r.Outcome == harness.NotRun })) {
		return results
	}
	results = suite.Run(ctx)
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
