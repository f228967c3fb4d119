package review

import (
	"context"
	"errors"
	"slices"
	"sync"

	"toolcrib/history"
	"toolcrib/internal/turns"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
)

// trials caches the results of test cases, by the hashes of the cases and of the
// definition. Running them can take a while, and asking a model takes seconds, so
// they run before a write transaction begins.
type trials struct {
	mu      sync.Mutex
	results map[string][]harness.Result
}

// maxTrials limits the cache; a full one is emptied.
const maxTrials = 4096

// run returns how the test cases of a draft come out: on their recorded answers,
// and on those of a model, or without one on those that an earlier run got.
func (t *trials) run(ctx context.Context, draft proposals.Draft, model harness.Model) []harness.Result {
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
			suite.Prompt = instruction(draft.Definition)
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

// try runs the test cases of a draft ahead of the transaction that needs the
// results. What has no recorded answer is asked of the model, if one is
// connected and the run is to be kept.
func (d *Desk) try(ctx context.Context, draft proposals.Draft) {
	var model harness.Model
	if d.policy.Model != nil && !d.dryRun {
		model = &reachable{model: d.policy.Model}
	}
	if model != nil && len(draft.Problems()) > 0 {
		model = nil // it is not submitted as it is
	}
	d.trials.run(ctx, draft, model)
}

// tryCurrent is try for the current revision of a proposal, when there is a
// model to ask. What cannot be read is reported by the act that follows.
func (d *Desk) tryCurrent(ctx context.Context, id proposals.ID) {
	if d.policy.Model == nil {
		return
	}
	rev, err := read(ctx, d, func(r Reader) (proposals.Revision, error) {
		_, rev, err := current(ctx, r, id)
		return rev, err
	})
	if err == nil {
		d.try(ctx, rev.Draft)
	}
}

// reachable is a model that is not asked again once nobody was there.
type reachable struct {
	model harness.Model
	gone  error
}

func (m *reachable) Answer(ctx context.Context, prompt, input string) (string, error) {
	if m.gone != nil {
		return "", m.gone
	}
	back := turns.Outside(ctx)
	text, err := m.model.Answer(ctx, prompt, input)
	back()
	if errors.Is(err, harness.ErrNotConnected) {
		m.gone = err
	}
	return text, err
}

// instruction returns the prompt of a model for a test case: the tool's part of
// the prompt, or the agent's prompt, if the definition were live.
func instruction(d registry.Definition) string {
	if d.Agent != nil {
		return prompt.Render(prompt.Input{Agent: *d.Agent, Context: prompt.Reference()}, prompt.Web).Text
	}
	if d.Tool == nil || d.Tool.Kind == registry.PromptTool {
		return block(d, prompt.Web)
	}
	t := *d.Tool
	return "You can call one tool, " + t.ID + ".\n\n" + t.Description + "\n\nIts arguments as a JSON Schema:\n" + string(t.InputSchema) +
		"\n\nTo call it, answer with one JSON object and nothing else: {\"tool\":\"" + t.ID + "\",\"args\":{…},\"nonce\":\"n1\"}"
}
