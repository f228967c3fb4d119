package proposals

import (
	"encoding/json"

	"toolcrib/registry"
)

// Type is the kind of change that a proposal makes.
type Type string

// The types of proposal.
const (
	New        Type = "new"
	Modify     Type = "modify"
	Deactivate Type = "deactivate"
	Reactivate Type = "reactivate"
	Restore    Type = "restore" // back to an earlier version, through the same gate
)

// Types lists every type in the order it is documented in.
func Types() []Type { return []Type{New, Modify, Deactivate, Reactivate, Restore} }

// Draft is the text of an author: the template of a proposal, filled in. A
// draft may be incomplete; Problems lists the fields that a submission lacks.
type Draft struct {
	Type       Type
	Subject    registry.Subject
	Definition registry.Definition // zero when the author left it out

	// BaseVersion is the live version that the draft was made against, nil when the
	// author gave none. For a new subject, nil means 0.
	BaseVersion *int
	// RestoreVersion is the version a Restore goes back to; 0 for other types.
	RestoreVersion int

	Rationale string
	Examples  []string
	TestCases []TestCase
	ChangeSet string // "" when the proposal stands alone
}

// TextHash returns that of the tool that the draft would put into force, "" when
// it is not about a tool or takes one away.
func (d Draft) TextHash() string {
	if d.Definition.Tool == nil || d.Type == Deactivate {
		return ""
	}
	return d.Definition.Tool.TextHash()
}

// Expect describes how a test case should come out.
type Expect string

// The expected outcomes.
const (
	ExpectPass Expect = "pass"
	ExpectFail Expect = "fail"
)

// TestCase is one executable example. Output is a recorded answer of a model,
// nil when there is none and the case can only run live.
type TestCase struct {
	Name   string  `json:"name,omitempty"`
	Input  string  `json:"input,omitempty"`
	Expect Expect  `json:"expect,omitempty"`
	Output *string `json:"output,omitempty"`
	Checks []Check `json:"checks,omitempty"`
}

// CheckType names one kind of check on an answer.
type CheckType string

// The kinds of check. CheckValues has the kinds of their values.
const (
	CheckJSONOnly      CheckType = "json_only"
	CheckNoFences      CheckType = "no_fences"
	CheckToolCall      CheckType = "tool_call"
	CheckJSONSchema    CheckType = "json_schema"
	CheckContains      CheckType = "contains"
	CheckNotContains   CheckType = "not_contains"
	CheckMatches       CheckType = "matches"
	CheckEvidence      CheckType = "evidence"
	CheckNoFakeToolUse CheckType = "no_fake_tool_use"
	CheckMaxChars      CheckType = "max_chars"
)

// Check is one check on the answer of a test case. Value is canonical JSON: a
// string for contains, not_contains and matches, a number for max_chars, a
// schema object for json_schema, absent for the others.
type Check struct {
	Type  CheckType       `json:"type,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Limits of the template.
const (
	MaxRationale = 8_000 // characters
	MaxExample   = 4_000 // characters
	MinExamples  = 2
	MaxExamples  = 3
	MinTestCases = 2
	MaxTestCases = 3
)
