// This file runs the test cases of a proposal with the live and the proposed version.

package impact

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/internal/semaphore"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
)

// Behaviour contains the results of the test cases of a proposal with the live version and with the
// proposed one. It is not stored.
type Behaviour struct {
	Proposal proposals.Proposal
	Live     int // the live version, 0 for none
	Cases    []CaseBehaviour
}

// CaseBehaviour is a test case with its two results.
type CaseBehaviour struct {
	Name   string
	Input  string
	Expect proposals.Expect
	// Dropped is set for a case of the live version that the proposal does not have.
	Dropped       bool
	Before, After Trial
}

// Trial is the result of a test case with a version.
type Trial struct {
	harness.Result
	Text string // the full answer, recorded or from a model; untrusted
}

// Changed reports whether the proposal changes the answer or the outcome. It returns false if
// either side was not run.
func (c CaseBehaviour) Changed() bool {
	if c.Before.Outcome == harness.NotRun || c.After.Outcome == harness.NotRun {
		return false
	}
	return c.Before.Outcome != c.After.Outcome || c.Before.Text != c.After.Text
}

// Progress is called when case done (counted from 0) of total starts, and with done equal to total at
// the end.
type Progress func(done, total int, name string)

// Behaviour runs every test case of a proposal's current revision, and those of the live version that it drops, against
// both versions: on recorded answers, or on the model's if live is set. A side without a recorded answer is not run. A
// recorded answer is used only for the same input.
func (a *Analyzer) Behaviour(ctx context.Context, id proposals.ID, live bool, tell Progress) (Behaviour, error) {
	b, sides, err := a.sides(ctx, id)
	if err != nil {
		return b, err
	}
	if live && a.model == nil {
		return b, fmt.Errorf("%w; name one under [model] in the configuration", harness.ErrNotConnected)
	}
	if live {
		model := UntilUnreachable(a.model)
		for i := range sides {
			sides[i].model, sides[i].prompt = model, Instruction(sides[i].definition)
		}
	}
	for i := range b.Cases {
		c := &b.Cases[i]
		tell(i, len(b.Cases), c.Name)
		c.Before, c.After = sides[0].run(ctx, i), sides[1].run(ctx, i)
		if ctx.Err() != nil {
			return b, ctx.Err()
		}
	}
	tell(len(b.Cases), len(b.Cases), "")
	return b, nil
}

// versionSide is a version with the test cases and its answers.
type versionSide struct {
	name       string // such as "version 3" or "the proposal"
	absent     string // why no case is run with this version, or "" if it exists
	definition registry.Definition
	cases      []proposals.TestCase // with the recorded answers of this version
	model      harness.Model        // nil to use the recorded answers
	prompt     string
}

func (s versionSide) run(ctx context.Context, i int) Trial {
	c := s.cases[i]
	switch {
	case s.absent != "":
		return notRun(c, s.absent)
	case s.model != nil:
		c.Output = nil
	case c.Output == nil:
		return notRun(c, "No answer of "+s.name+" to this input is recorded.")
	}
	model := &recordingModel{model: s.model}
	suite := harness.Suite{Cases: []proposals.TestCase{c}, Prompt: s.prompt}
	if s.model != nil {
		suite.Model = model
	}
	t := Trial{Result: suite.Run(ctx)[0], Text: model.text}
	if c.Output != nil {
		t.Text = *c.Output
	}
	return t
}

func notRun(c proposals.TestCase, why string) Trial {
	return Trial{Result: harness.Result{Name: c.Name, Expect: c.Expect, Outcome: harness.NotRun, Reason: why}}
}

// recordingModel is a harness.Model that stores the last answer of another model.
type recordingModel struct {
	model harness.Model
	text  string
}

func (h *recordingModel) Answer(ctx context.Context, prompt, input string) (text string, err error) {
	h.text, err = h.model.Answer(ctx, prompt, input)
	return h.text, err
}

// sides reads the proposal and the live version with their test cases.
func (a *Analyzer) sides(ctx context.Context, id proposals.ID) (b Behaviour, sides [2]versionSide, err error) {
	err = a.view(ctx, func(r Reader) error {
		p, rev, err := Current(ctx, r, id)
		if err != nil {
			return err
		}
		b.Proposal = p
		before, err := Live(ctx, r, p.Subject)
		if err != nil {
			return err
		}
		var earlier []proposals.TestCase
		sides[0].absent = "Nothing is live."
		if before != nil {
			b.Live = before.Version
			if earlier, err = CasesOf(ctx, r, before.Subject, before.Version); err != nil {
				return err
			}
			sides[0] = versionSide{name: fmt.Sprintf("version %d", before.Version), definition: before.Definition}
			if before.Refused != nil {
				sides[0].absent = jsondoc.Printable("Version " + fmt.Sprint(before.Version) + " is not valid: " + before.Refused.Error() + ".")
			}
		}
		sides[1] = versionSide{name: "the proposal", definition: rev.Draft.Definition}
		if rev.Draft.Definition.IsZero() {
			sides[1].absent = "The proposal has no definition."
		}
		b.pair(&sides, rev.Draft.TestCases, earlier)
		return nil
	})
	return b, sides, err
}

// caseReader reads the revision that became a version.
type caseReader interface {
	Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error)
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
}

// CasesOf returns the test cases in the proposal that became a version. Shipped versions have none.
func CasesOf(ctx context.Context, r caseReader, s registry.Subject, number int) ([]proposals.TestCase, error) {
	v, err := r.Version(ctx, s, number)
	if err != nil || v.Proposal == "" {
		return nil, err
	}
	rev, err := r.Revision(ctx, proposals.ID(v.Proposal), v.Revision)
	return rev.Draft.TestCases, err
}

// pair adds the cases of both versions, each with the proposal's checks if it has the case, and with the answer of
// either version. A recorded answer is used only for the same input.
func (b *Behaviour) pair(sides *[2]versionSide, now, earlier []proposals.TestCase) {
	add := func(c proposals.TestCase, before, after *string, dropped bool) {
		b.Cases = append(b.Cases, CaseBehaviour{Name: c.Name, Input: c.Input, Expect: c.Expect, Dropped: dropped})
		for i, output := range []*string{before, after} {
			c.Output = output
			sides[i].cases = append(sides[i].cases, c)
		}
	}
	match := matchCases(now, earlier,
		func(a, b proposals.TestCase) bool { return a.Input == b.Input && a.Name == b.Name },
		func(a, b proposals.TestCase) bool { return a.Input == b.Input && a.Expect == b.Expect })
	for i, c := range now {
		var before *string
		if match[i] >= 0 {
			before = earlier[match[i]].Output
		}
		add(c, before, c.Output, false)
	}
	for i, c := range earlier {
		if !slices.Contains(match, i) {
			add(c, c.Output, nil, true)
		}
	}
}

// untilUnreachable is a model that is no longer used once it could not be reached.
type untilUnreachable struct {
	model harness.Model
	gone  error
}

// UntilUnreachable returns a model that forwards calls to model until it cannot be reached once.
func UntilUnreachable(model harness.Model) harness.Model { return &untilUnreachable{model: model} }

func (m *untilUnreachable) Answer(ctx context.Context, prompt, input string) (string, error) {
	if m.gone != nil {
		return "", m.gone
	}
	back := semaphore.Outside(ctx)
	text, err := m.model.Answer(ctx, prompt, input)
	back()
	if errors.Is(err, harness.ErrNotConnected) {
		m.gone = err
	}
	return text, err
}

// Instruction returns the prompt for a model to answer a test case as if the definition were live:
// the tool's part of the prompt, or the agent's prompt.
func Instruction(d registry.Definition) string {
	if d.Agent != nil {
		return prompt.Render(prompt.Input{Agent: *d.Agent, Context: prompt.Reference()}, prompt.Web).Text
	}
	if d.Tool == nil || d.Tool.Kind != registry.ActionTool {
		return block(d, prompt.Web)
	}
	t := *d.Tool
	return "You can call one tool, " + t.ID + ".\n\n" + t.Description + "\n\nIts arguments as a JSON Schema:\n" + string(t.InputSchema) +
		"\n\nTo call it, answer with one JSON object and nothing else: {\"tool\":\"" + t.ID + "\",\"args\":{…},\"nonce\":\"n1\"}"
}
