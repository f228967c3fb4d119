package review

import (
	"encoding/json"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/harness"
	"toolcrib/review/rules"
)

// Report holds the findings and the words of a reviewer.
type Report struct {
	Findings []rules.Finding `json:"findings"`
	// Comment is the reviewer's own text, Markdown. That of the built-in
	// reviewer answers in plain words whether the change makes sense, overlaps a
	// core tool, breaks guardrails or policy, and what must change.
	Comment string `json:"comment"`
	// Builtin is the built-in reviewer's text where a chief filed Comment; ""
	// where Comment is the built-in reviewer's itself.
	Builtin string `json:"builtin,omitempty"`
	// Advice is the reviewer's own recommendation, apart from that of its findings;
	// "" for none.
	Advice proposals.Recommendation `json:"advice,omitempty"`
	// Harness describes how the test cases came out.
	Harness []harness.Result `json:"harness,omitempty"`
	// Problems describes which external reviewers failed, and how.
	Problems []string `json:"problems,omitempty"`
}

// Encode writes r as canonical JSON, the form it is stored and sealed in.
func (r Report) Encode() string {
	if r.Findings == nil {
		r.Findings = []rules.Finding{}
	}
	b, err := jsondoc.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("review: a report does not marshal: %v", err))
	}
	return string(b)
}

// DecodeReport reads what Encode wrote.
func DecodeReport(s string) (Report, error) {
	var r Report
	if err := json.Unmarshal([]byte(s), &r); err != nil {
		return Report{}, fmt.Errorf("assessment: %w", err)
	}
	return r, nil
}
