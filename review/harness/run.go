package harness

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// MaxAnswer limits how many bytes of an answer are checked; a longer one is not
// judged at all.
const MaxAnswer = 1 << 20

// maxShown limits how many bytes of a model's answer a Result keeps.
const maxShown = 8_000

// Suite is the test cases of one proposal.
type Suite struct {
	Cases  []proposals.TestCase
	Prompt string // what a model is instructed with: the text that is proposed
	Model  Model  // nil when none is connected
}

// Run runs the cases one after the other and returns their results in the same
// order. When ctx ends, the cases that need a model are not run.
func (s Suite) Run(ctx context.Context) []Result {
	results := make([]Result, len(s.Cases))
	w := &work{left: maxWork}
	for i, tc := range s.Cases {
		results[i] = s.run(ctx, tc, w)
	}
	return results
}

func (s Suite) run(ctx context.Context, tc proposals.TestCase, w *work) Result {
	r := Result{Name: tc.Name, Expect: tc.Expect}
	switch {
	case tc.Expect != proposals.ExpectPass && tc.Expect != proposals.ExpectFail:
		return r.notRun("The case does not say whether it should pass or fail.")
	case len(tc.Checks) == 0:
		return r.notRun("The case has no checks.")
	}
	var text string
	if tc.Output != nil {
		text = *tc.Output
	} else {
		if s.Model == nil {
			return r.notRun("There is no recorded answer, and no model is connected.")
		}
		var err error
		if text, err = s.Model.Answer(ctx, s.Prompt, tc.Input); err != nil {
			return r.notRun("There is no recorded answer, and the model gave none: " + jsondoc.Printable(err.Error()) + ".")
		}
		r.Live, r.Answer = true, beginning(text)
	}
	if len(text) > MaxAnswer {
		return r.notRun(fmt.Sprintf("The answer has %d bytes; at most %d are checked.", len(text), MaxAnswer))
	}
	return r.judge(tc.Checks, answer{text: text, input: tc.Input, work: w})
}

func (r Result) notRun(reason string) Result {
	r.Outcome, r.Reason = NotRun, reason
	return r
}

// judge runs the checks and compares their results with the expectation. A check
// that cannot be evaluated fails the case either way: it would otherwise pass for
// the expected failure.
func (r Result) judge(checks []proposals.Check, a answer) Result {
	var broken, useless []string
	for _, c := range checks {
		reason, err := a.check(c)
		found := CheckResult{Type: c.Type, Holds: reason == "" && err == nil, Reason: reason}
		switch {
		case err != nil:
			found.Reason = jsondoc.Printable(err.Error())
			useless = append(useless, label(c)+": "+found.Reason)
		case reason != "":
			broken = append(broken, label(c)+": "+reason)
		}
		r.Checks = append(r.Checks, found)
	}
	r.Outcome = Failed
	switch {
	case len(useless) > 0:
		r.Reason = "A check cannot be evaluated: " + strings.Join(useless, "; ") + "."
	case r.Expect == proposals.ExpectFail && len(broken) == 0:
		r.Reason = "It was expected to fail, but the answer satisfies every check."
	case r.Expect == proposals.ExpectFail:
		r.Outcome, r.Reason = Passed, "It fails as expected: "+strings.Join(broken, "; ")+"."
	case len(broken) > 0:
		r.Reason = "It was expected to pass, but " + strings.Join(broken, "; ") + "."
	default:
		r.Outcome, r.Reason = Passed, "The answer satisfies every check."
	}
	return r
}

// label names a check in a reason.
func label(c proposals.Check) string { return jsondoc.Printable(string(c.Type)) }

// beginning returns as much of s as a Result keeps, whole characters only.
func beginning(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
