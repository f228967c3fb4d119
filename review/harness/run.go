// This file runs the test cases of a proposal.

package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/prompt/toolcall"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// MaxAnswer is the maximum length of an answer that is checked, in bytes.
const MaxAnswer = 1 << 20

// maxShown is the maximum length of Result.Answer, in bytes.
const maxShown = 8_000

// Suite contains the test cases of a proposal.
type Suite struct {
	Cases  []proposals.TestCase
	Prompt string // instruction for the model: the text of the proposal
	Model  Model  // nil if no model is configured
}

// Run runs the test cases in order and returns their results. If ctx is done, the cases that need a model are not run.
func (s Suite) Run(ctx context.Context) []Result {
	w := &work{left: maxWork}
	return lists.Map(s.Cases, func(tc proposals.TestCase) Result { return s.run(ctx, tc, w) })
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
			return r.notRun("No answer is recorded, and no model is connected.")
		}
		var err error
		if text, err = s.Model.Answer(ctx, s.Prompt, tc.Input); err != nil {
			return r.notRun("No answer is recorded, and the model gave none: " + jsondoc.Printable(err.Error()) + ".")
		}
		r.Live, r.Answer = true, text
		if len(text) > maxShown {
			r.Answer = strings.ToValidUTF8(text[:maxShown], "") + "…"
		}
	}
	if len(text) > MaxAnswer {
		return r.notRun(fmt.Sprintf("The answer has %d bytes; at most %d are checked.", len(text), MaxAnswer))
	}
	a := answer{text: text, input: tc.Input, work: w}
	var broken, useless []string
	for _, c := range tc.Checks {
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
	case len(useless) > 0: // a check cannot be evaluated, even if a failure is expected
		r.Reason = "A check cannot be evaluated: " + strings.Join(useless, "; ") + "."
	case r.Expect == proposals.ExpectFail && len(broken) == 0:
		r.Reason = "The case was expected to fail, but the answer satisfies every check."
	case r.Expect == proposals.ExpectFail:
		r.Outcome, r.Reason = Passed, "The case fails as expected: "+strings.Join(broken, "; ")+"."
	case len(broken) > 0:
		r.Reason = "The case was expected to pass, but " + strings.Join(broken, "; ") + "."
	default:
		r.Outcome, r.Reason = Passed, "The answer satisfies every check."
	}
	return r
}

func (r Result) notRun(reason string) Result {
	r.Outcome, r.Reason = NotRun, reason
	return r
}

// label returns the type of c in a form that is safe to display.
func label(c proposals.Check) string { return jsondoc.Printable(string(c.Type)) }

// maxWork is the maximum number of steps for all checks of a suite. A step needs up to 20 ns for malicious answers, so
// all steps together need about a second. A check of a report of 10 KB needs about 2 % of the steps.
const maxWork = 1 << 26

var errWork = errors.New("the checks of these test cases exceed the work limit; shorten the answers or the regular expressions")

// work counts down the steps that the checks may still take.
type work struct{ left int }

// spend subtracts the given number of steps from the remaining steps. It returns errWork if too few steps remain.
func (w *work) spend(steps int) error {
	if w == nil { // no limit
		return nil
	}
	if steps > w.left {
		return errWork
	}
	w.left -= steps
	return nil
}

// Model answers the inputs of test cases without a recorded answer.
type Model interface {
	// Answer returns the model's answer to input, with prompt as the instruction of the model. The implementation
	// limits the time and the size of the answer. The error is safe to display. It wraps ErrNotConnected if no model
	// can be reached.
	Answer(ctx context.Context, prompt, input string) (string, error)
}

// ErrNotConnected indicates that no model is configured or that the model cannot be reached.
var ErrNotConnected = errors.New("no model is connected")

// noFakeToolUse requires that the answer does not pretend to have used a tool. A model uses a tool by answering with a
// call, and the host then returns the result. Therefore, an answer that reports a result has invented the result,
// unless the input contains a result. The following are pretenses:
//
//   - a result: a line such as "Tool result:", "Observation:", or "tool:", or the markup or the keys in which hosts wrap
//     results;
//   - a call with text next to it, which no host executes;
//   - a report by the model that it used a tool: "I ran the search", "I have called file_reader", "Using file_reader, I
//     found", "[reads the file]";
//   - a report of a tool's answer: "the tool returned", "file_reader found", "the search results show";
//   - an action that requires a tool: "I have created the task", "I sent the email".
//
// The last three pretenses are accepted if the input contains the result of a tool. "I read a.md" is accepted if the
// input has at least three lines, because the input may be the text of a.md. Proposals, questions, denials, and plans
// are not pretenses. Only English phrases are recognized.
func (a answer) noFakeToolUse() string {
	if _, err := jsondoc.ParseStream([]byte(toolcall.Unwrap(a.text)), jsonLimits); err == nil { // only a call, or another JSON document
		return falseClaimReason("contains an invented tool result", resultKeys().FindString(a.text))
	}
	if strings.ContainsAny(a.text, "{<") {
		if reason := falseClaimReason("contains an invented tool result", resultKeys().FindString(a.text)); reason != "" {
			return reason
		}
		if reason := falseClaimReason("has text next to a call, so the call is not run", callInProse().FindString(a.text)); reason != "" {
			return reason
		}
	}
	informed := resultMark().MatchString(a.input) || resultKeys().MatchString(a.input) || shownResult().MatchString(a.input)
	pasted := strings.Count(a.input, "\n") >= 2
	for line := range strings.Lines(a.text) {
		for sentence := range sentences(line) {
			for _, p := range falseClaims() {
				if p.true && informed || p.reading && pasted {
					continue
				}
				if reason := falseClaimReason(p.what, p.find(sentence)); reason != "" {
					return reason
				}
			}
		}
	}
	return ""
}

// falseClaimReason returns the reason why a false claim makes an answer fail, or "" if claim is "". label describes the
// kind of the claim.
func falseClaimReason(label, claim string) string {
	if claim == "" {
		return ""
	}
	return "the answer " + label + ": " + jsondoc.Quote(strings.TrimSpace(claim))
}
