// This file defines rules and findings.

package rules

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/spans"
	"toolcrib/review/rules/scan/disguise"
)

// Rule is a check that the Chief of Staff runs on proposals.
type Rule struct {
	ID   string // family letter and three digits, such as "S104"
	Name string // a few words in lower case with hyphens: "override-phrase"
	// Severity is the severity of the rule's findings. A rule about wording scores the evidence for
	// each finding. For such a rule, Severity is the maximum severity of a finding.
	Severity Severity
	// Added replaces Severity for a finding in text that a change adds to an approved version. If
	// Added is "", Severity applies there too.
	Added      Severity
	Doc        string // what the rule finds and why it matters: a short paragraph in Markdown
	Suggestion string // advice for the author of the text; a finding can set a different one
	// Importer is advice for people who import a definition and therefore cannot change the text of
	// a finding.
	Importer string
	// Waivable reports whether the user may waive a finding. Findings of structural rules (T, L, D,
	// hard limits) cannot be waived.
	Waivable bool
	// Form reports whether the rule checks the form of a text instead of its wording. Examples of
	// form are hidden characters, escapes, and credentials. A blocking finding of such a rule is
	// reported again with every change, even if the live version already contains the text, because
	// a reviewer has probably approved such text by mistake.
	Form bool
	// Locked reports whether the severity is fixed. The configuration cannot change a fixed
	// severity.
	Locked bool
	// QueriesSimilar reports whether Check queries the World for similar definitions.
	QueriesSimilar bool
	// Bad is an example that causes a finding. Good is a similar example that causes no finding.
	Bad, Good string
	// Check returns the findings in c. The caller sets Rule, Severity, and Waivable, and replaces
	// an empty Suggestion by the suggestion of the rule.
	Check func(ctx context.Context, c *Change) ([]Finding, error)
}

// Of returns a rule with the given id. Its check calls check and reads nothing but the change.
func Of(id string, check func(c *Change) []Finding) Rule {
	return Rule{ID: id, Check: func(_ context.Context, c *Change) ([]Finding, error) { return check(c), nil }}
}

// Family returns the first letter of the rule's id.
func (r Rule) Family() string { return r.ID[:1] }

// Severity is the effect of a finding on its revision.
type Severity string

// The severities. A revision with an open finding of severity Block cannot be approved.
const (
	Off   Severity = "off" // disables a rule; valid only in a configuration
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

// Finding is a problem that a rule found in a revision.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	// Path is the JSON path of the field in the proposal, such as "definition.prompt" or
	// "testCases[0].name". The path "$" means the proposal as a whole.
	Path string `json:"path"`
	// Line, Column, EndLine, and EndColumn are the position of the passage in the text of the
	// field. Lines and columns are counted from 1, and columns count code points. The end is
	// exclusive. All four are 0 if the finding is about the whole field.
	Line      int `json:"line,omitempty"`
	Column    int `json:"column,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
	EndColumn int `json:"end_column,omitempty"`
	// Message describes the problem in a sentence. Suggestion is advice for the author of the text.
	// Importer is advice for people who import the definition and cannot change it; it is "" for
	// definitions that are not imported.
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
	Importer   string `json:"for_importer,omitempty"`
	// Passage is the exact text that the finding is about. It is untrusted and must be escaped
	// before it is displayed.
	Passage string `json:"passage,omitempty"`
	// Context is the hex-encoded SHA-256 of the text around the passage that a waiver also covers
	// (see Change.Bind). It is "" for a finding without a passage, and in assessments older than
	// this field.
	Context string `json:"context,omitempty"`
	// Added is the severity of the finding if a change adds the passage to an approved version. If
	// Added is "", the severity of the rule for added text applies.
	Added Severity `json:"-"`
	// Waivable reports whether the user may waive the finding.
	Waivable bool `json:"waivable"`
	// Carried reports whether an approved version already contains the passage. A carried finding
	// was not introduced by the change and does not affect the recommendation.
	Carried bool `json:"carried,omitempty"`
	// From identifies the approved version that contains the passage of a carried finding, in the
	// form SUBJECT@NUMBER. It is "" for any other finding.
	From string `json:"from,omitempty"`
}

// PassageHash returns the hex-encoded SHA-256 of the passage and its Context. The hash does not
// depend on the position of the passage in the field.
func (f Finding) PassageHash() string {
	if f.Context == "" {
		return registry.HashBytes([]byte(f.Passage))
	}
	return registry.HashBytes([]byte(f.Context + "\n" + f.Passage))
}

// Computed returns the result of compute(c) and caches it in c. The rules of a family share
// intermediate results in this way. The cache key is T, which must therefore be a type of the
// caller's package.
func Computed[T any](c *Change, compute func(*Change) T) T {
	key := reflect.TypeFor[T]()
	once, known := c.computed.Load(key)
	if !known {
		once, _ = c.computed.LoadOrStore(key, sync.OnceValue(func() T { return compute(c) }))
	}
	return once.(func() T)() //nolint:forcetypeassert // T is the key
}

// Passage is a byte range of a text. Disguise states how the text in the range was disguised.
type Passage struct {
	Start, End int
	Disguise   disguise.Disguise
}

// MaxPerText is the maximum number of findings that a rule reports in a text. The message of the
// last finding states the number of passages that are not reported.
const MaxPerText = 20

// Merge sorts passages in place and merges overlapping passages into one.
func Merge(passages []Passage) []Passage {
	slices.SortFunc(passages, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	var merged []Passage
	for _, p := range passages {
		if n := len(merged); n > 0 && p.Start < merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, p.End)
			merged[n-1].Disguise |= p.Disguise
			continue
		}
		merged = append(merged, p)
	}
	return merged
}

// Findings merges overlapping passages and returns a finding for each result. It returns at most
// MaxPerText findings.
func (t *Text) Findings(passages []Passage, message func(Passage) string) []Finding {
	merged := Merge(passages)
	more := max(0, len(merged)-MaxPerText)
	merged = merged[:len(merged)-more]
	found := make([]Finding, 0, len(merged))
	cursor := spans.NewCursor(t.Value)
	for _, p := range merged {
		from, to := cursor.To(p.Start), cursor.To(p.End)
		found = append(found, Finding{
			Path: t.Path, Message: message(p), Passage: t.Value[p.Start:p.End],
			Line: from.Line, Column: from.Column, EndLine: to.Line, EndColumn: to.Column,
		})
	}
	if more > 0 {
		found[len(found)-1].More(more)
	}
	return found
}

// More appends a sentence to the message of f. The sentence states the number of passages without a
// separate finding.
func (f *Finding) More(passages int) {
	f.Message += fmt.Sprintf(" Not listed: %d more of this kind.", passages)
}

// InTools describes the tools with the given names, which share a finding. The result contains the
// number of tools and the first twelve names.
func InTools(names []string) string {
	return fmt.Sprintf("%d tools: %s", len(names), lists.First(names, 12))
}

// Importing returns the given advice as a complete sentence for importers. It returns "" if there
// is no advice.
func Importing(advice string) string {
	if advice == "" {
		return ""
	}
	first, n := utf8.DecodeRuneInString(advice)
	return "For importers: " + string(unicode.ToLower(first)) + advice[n:]
}

// Remedies returns the advice for the author of the text and the advice for importers. It omits
// empty advice. Each element is one or two sentences.
func (f Finding) Remedies() []string {
	return lists.Filter([]string{f.Suggestion, Importing(f.Importer)}, func(remedy string) bool { return remedy != "" })
}
