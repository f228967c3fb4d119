package rules

import "toolcrib/registry"

// Severity is the effect of a finding on its revision.
type Severity string

// The severities. A revision with an open Block cannot be approved.
const (
	Off   Severity = "off" // only in configuration: the rule does not run
	Info  Severity = "info"
	Warn  Severity = "warn"
	Block Severity = "block"
)

// Rank orders severities: Off 0, Info 1, Warn 2, Block 3.
func (s Severity) Rank() int {
	switch s {
	case Info:
		return 1
	case Warn:
		return 2
	case Block:
		return 3
	case Off:
	}
	return 0
}

// Finding is one thing a rule found in a revision.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Path is the JSON path of the field in the proposal: "definition.prompt",
	// "testCases[0].name"; "$" for the proposal as a whole.
	Path string `json:"path"`
	// Line, Column, EndLine and EndColumn span the passage within the field's
	// text, counted from 1 in lines and characters (code points); the end is
	// exclusive. All are 0 when the finding is about the field as a whole.
	Line      int `json:"line,omitempty"`
	Column    int `json:"column,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
	EndColumn int `json:"end_column,omitempty"`
	// Message describes the problem in a sentence. Suggestion advises the author of the
	// text, Importer somebody who imports the definition and cannot change it; it is "" of
	// definitions that are not imported.
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
	Importer   string `json:"for_importer,omitempty"`
	// Passage is the exact text that the finding is about. It is untrusted: escape it
	// before it reaches a screen.
	Passage string `json:"passage,omitempty"`
	// Context is the SHA-256 in hex of what the passage stands in (Change.Bind); ""
	// without a passage, and in assessments that were made before there was one.
	Context string `json:"context,omitempty"`
	// Waivable reports whether the user may waive the finding.
	Waivable bool `json:"waivable"`
}

// PassageHash identifies what the finding is about, independent of where in
// the field it stands: the SHA-256 in hex of the passage and its Context.
func (f Finding) PassageHash() string {
	if f.Context == "" {
		return registry.HashBytes([]byte(f.Passage))
	}
	return registry.HashBytes([]byte(f.Context + "\n" + f.Passage))
}
