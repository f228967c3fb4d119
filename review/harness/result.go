package harness

import "toolcrib/proposals"

// Outcome describes how a test case came out.
type Outcome string

// The outcomes. A case that expects failure has Passed when a check caught
// the answer.
const (
	Passed Outcome = "passed"
	Failed Outcome = "failed"
	NotRun Outcome = "not_run"
)

// Result is how one test case came out, and why.
type Result struct {
	Name    string           `json:"name"`
	Expect  proposals.Expect `json:"expect,omitempty"`
	Outcome Outcome          `json:"outcome"`
	// Reason is one sentence without characters that a terminal obeys.
	Reason string `json:"reason"`
	// Live reports that the answer is a model's, given just now.
	Live bool `json:"live,omitempty"`
	// Answer is the answer of the model, its beginning when it is long; "" for a
	// recorded one, which stands in the proposal. It is untrusted.
	Answer string        `json:"answer,omitempty"`
	Checks []CheckResult `json:"checks,omitempty"`
}

// CheckResult is the result of one check.
type CheckResult struct {
	Type  proposals.CheckType `json:"type"`
	Holds bool                `json:"holds"`
	// Reason is why the answer fails, or why the check could not be evaluated; ""
	// when it passes.
	Reason string `json:"reason,omitempty"`
}
