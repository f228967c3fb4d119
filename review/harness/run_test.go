package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
)

// modelFunc implements Model with a function.
type modelFunc func(prompt, input string) (string, error)

func (m modelFunc) Answer(ctx context.Context, prompt, input string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return m(prompt, input)
}

// The checks of the cases. isBroken cannot be evaluated.
var (
	saysSlow = proposals.Check{Type: proposals.CheckContains, Value: json.RawMessage(`"slow"`)}
	isShort  = proposals.Check{Type: proposals.CheckMaxChars, Value: json.RawMessage(`20`)}
	isBroken = proposals.Check{Type: proposals.CheckMatches, Value: json.RawMessage(`"("`)}
)

// slowModel answers that everything is slow, and fails for two inputs.
var slowModel = modelFunc(func(prompt, input string) (string, error) {
	switch input {
	case "refused":
		return "", fmt.Errorf("dial\u202e: %w", ErrNotConnected)
	case "huge":
		return strings.Repeat("x", MaxAnswer+1), nil
	}
	return prompt + " says slow to " + input, nil
})

// runCases contains single test cases and their outcomes.
var runCases = []struct {
	name    string
	tc      proposals.TestCase
	model   Model
	outcome Outcome
	reason  string
	live    bool
}{
	{
		"passes",
		proposals.TestCase{Expect: "pass", Output: new("It is slow."), Checks: []proposals.Check{saysSlow, isShort}},
		nil,
		Passed, "The answer satisfies every check.", false,
	},
	{
		"should pass",
		proposals.TestCase{Expect: "pass", Output: new("It is not so slow after all."), Checks: []proposals.Check{saysSlow, isShort}},
		nil,
		Failed, "The case was expected to pass, but max_chars: the answer has 28 characters, more than 20.", false,
	},
	{
		"should pass in two ways",
		proposals.TestCase{Expect: "pass", Output: new("It hurries from end to end."), Checks: []proposals.Check{saysSlow, isShort}},
		nil,
		Failed, `The case was expected to pass, but contains: the answer does not contain "slow"; max_chars: the answer has 27 characters, more than 20.`, false,
	},
	{
		"fails as expected",
		proposals.TestCase{Expect: "fail", Output: new("It is fast."), Checks: []proposals.Check{saysSlow, isShort}},
		nil,
		Passed, `The case fails as expected: contains: the answer does not contain "slow".`, false,
	},
	{
		"should fail",
		proposals.TestCase{Expect: "fail", Output: new("It is slow."), Checks: []proposals.Check{saysSlow, isShort}},
		nil,
		Failed, "The case was expected to fail, but the answer satisfies every check.", false,
	},
	{
		"a useless check is no expected failure",
		proposals.TestCase{Expect: "fail", Output: new("It is fast."), Checks: []proposals.Check{saysSlow, isBroken}},
		nil,
		Failed, "A check cannot be evaluated: matches: not a regular expression in RE2 syntax.", false,
	},
	{
		"an empty answer is an answer",
		proposals.TestCase{Expect: "fail", Output: new(""), Checks: []proposals.Check{saysSlow}},
		slowModel,
		Passed, `The case fails as expected: contains: the answer does not contain "slow".`, false,
	},
	{
		"no expectation",
		proposals.TestCase{Output: new("x"), Checks: []proposals.Check{saysSlow}},
		nil,
		NotRun, "The case does not say whether it should pass or fail.", false,
	},
	{
		"no checks",
		proposals.TestCase{Expect: "pass", Output: new("x")},
		nil,
		NotRun, "The case has no checks.", false,
	},
	{
		"too large",
		proposals.TestCase{Expect: "fail", Output: new(strings.Repeat("x", MaxAnswer+1)), Checks: []proposals.Check{saysSlow}},
		nil,
		NotRun, "The answer has 1048577 bytes; at most 1048576 are checked.", false,
	},
	{
		"no model",
		proposals.TestCase{Expect: "pass", Checks: []proposals.Check{saysSlow}},
		nil,
		NotRun, "No answer is recorded, and no model is connected.", false,
	},
	{
		"live",
		proposals.TestCase{Expect: "pass", Input: "you", Checks: []proposals.Check{saysSlow}},
		slowModel,
		Passed, "The answer satisfies every check.", true,
	},
	{
		"not connected",
		proposals.TestCase{Expect: "pass", Input: "refused", Checks: []proposals.Check{saysSlow}},
		slowModel,
		NotRun, `No answer is recorded, and the model gave none: dial\u202e: no model is connected.`, false,
	},
	{
		"too large live",
		proposals.TestCase{Expect: "pass", Input: "huge", Checks: []proposals.Check{saysSlow}},
		slowModel,
		NotRun, "The answer has 1048577 bytes; at most 1048576 are checked.", true,
	},
}

func TestRun(t *testing.T) {
	for _, tt := range runCases {
		t.Run(tt.name, func(t *testing.T) {
			tt.tc.Name = tt.name
			got := Suite{Cases: []proposals.TestCase{tt.tc}, Prompt: "P", Model: tt.model}.Run(t.Context())
			if len(got) != 1 || got[0].Name != tt.name || got[0].Outcome != tt.outcome || got[0].Reason != tt.reason || got[0].Live != tt.live {
				t.Fatalf("got %+v", got)
			}
			safe(t, got[0].Reason)
		})
	}
}

func TestRunKeepsOrderAndAnswers(t *testing.T) {
	suite := Suite{
		Prompt: "P",
		Model:  modelFunc(func(string, string) (string, error) { return strings.Repeat("é", maxShown), nil }),
		Cases: []proposals.TestCase{
			{Name: "a", Expect: "pass", Output: new("slow"), Checks: []proposals.Check{saysSlow}},
			{Name: "b", Expect: "pass", Checks: []proposals.Check{saysSlow}},
		},
	}
	got := suite.Run(t.Context())
	if got[0].Name != "a" || got[1].Name != "b" || got[0].Answer != "" {
		t.Errorf("got %+v", got)
	}
	if want := strings.Repeat("é", maxShown/2) + "…"; got[1].Answer != want {
		t.Errorf("kept %d bytes of the answer", len(got[1].Answer))
	}
	if c := got[1].Checks; len(c) != 1 || c[0].Type != "contains" || c[0].Holds || c[0].Reason == "" || !got[0].Checks[0].Holds {
		t.Errorf("got %+v", c)
	}
}

// TestRunBoundsWork checks that a run ends regardless of the number and cost of its checks.
func TestRunBoundsWork(t *testing.T) {
	shortrun.OneGoroutine(t)
	long := strings.Repeat("I ran out of words, see line 3. ", 4_000)
	heavy := checkOf(t, proposals.CheckMatches, strings.Repeat("(.?){100}", 40))
	evidence := checkOf(t, proposals.CheckEvidence, nil)
	one := proposals.TestCase{Expect: "fail", Output: &long, Checks: []proposals.Check{heavy}}
	many := proposals.TestCase{Expect: "fail", Output: &long, Checks: slices.Repeat([]proposals.Check{evidence}, proposals.MaxChecks)}
	for _, r := range (Suite{Cases: []proposals.TestCase{one, many}}).Run(t.Context()) {
		if r.Outcome != Failed || !strings.Contains(r.Reason, "exceed the work limit") {
			t.Errorf("got %s: %s", r.Outcome, r.Reason)
		}
	}
}

func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	recorded := "x"
	got := Suite{
		Model: modelFunc(func(string, string) (string, error) { return "x", nil }),
		Cases: []proposals.TestCase{
			{Expect: "pass", Checks: []proposals.Check{checkOf(t, proposals.CheckContains, "x")}},
			{Expect: "pass", Output: &recorded, Checks: []proposals.Check{checkOf(t, proposals.CheckContains, "x")}},
		},
	}.Run(ctx)
	if got[0].Outcome != NotRun || !strings.Contains(got[0].Reason, "canceled") || got[1].Outcome != Passed {
		t.Errorf("got %+v", got)
	}
}
