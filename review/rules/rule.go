package rules

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolcrib/review/rules/scan/disguise"

	"toolcrib/registry"
)

// Rule is one thing the Chief of Staff looks for.
type Rule struct {
	ID   string // family letter and three digits: "S104"
	Name string // a few words in lower case with hyphens: "override-phrase"
	// Severity is that of its findings; of a rule about wording it is the worst they
	// can be, and the evidence decides (judge).
	Severity Severity
	// Added is the severity of a finding in text that a change adds to an approved version, ""
	// where it is the same.
	Added      Severity
	Doc        string // its findings and why they matter; Markdown, a short paragraph
	Suggestion string // what to do about a finding, unless the finding says better
	// Importer advises somebody who imports a definition with a finding and cannot change
	// it.
	Importer string
	// Waivable reports whether the user may waive a finding of this rule. Rules of
	// structure (T, L, D, hard limits) cannot be waived.
	Waivable bool
	// Form reports whether the rule looks at the form of a text, such as hidden characters,
	// escapes, and credentials, and not at its wording. A block of form in the live version
	// is reported again with every change: nobody meant to approve it.
	Form bool
	// Locked rules keep their severity whatever the configuration says.
	Locked bool
	// AsksAlike reports whether Check asks the world for similar definitions.
	AsksAlike bool
	// Bad is an example that the rule finds, Good a similar one that passes.
	Bad, Good string
	// Check returns its findings in c. The caller fills in Rule, Severity, Waivable
	// and an empty Suggestion.
	Check func(ctx context.Context, c *Change) ([]Finding, error)
}

// Of returns a rule whose check looks at nothing but the change.
func Of(id string, check func(c *Change) []Finding) Rule {
	return Rule{ID: id, Check: func(_ context.Context, c *Change) ([]Finding, error) { return check(c), nil }}
}

// Family returns the letter that the rule's id begins with.
func (r Rule) Family() string { return r.ID[:1] }

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
	// Carried reports that the passage is in the live version, which somebody approved: the
	// change did not bring it, and it has no effect on the recommendation.
	Carried bool `json:"carried,omitempty"`
	// From is the approved version that has the passage of a carried finding: a subject, "@",
	// and a number.
	From string `json:"from,omitempty"`
}

// PassageHash identifies what the finding is about, independent of where in
// the field it stands: the SHA-256 in hex of the passage and its Context.
func (f Finding) PassageHash() string {
	if f.Context == "" {
		return registry.HashBytes([]byte(f.Passage))
	}
	return registry.HashBytes([]byte(f.Context + "\n" + f.Passage))
}

// Computed returns compute(c), computed once for each type T, so that the rules of
// a family share their common inputs; T is a type of theirs.
func Computed[T any](c *Change, compute func(*Change) T) T {
	key := reflect.TypeFor[T]()
	once, known := c.computed.Load(key)
	if !known {
		once, _ = c.computed.LoadOrStore(key, sync.OnceValue(func() T { return compute(c) }))
	}
	return once.(func() T)() //nolint:forcetypeassert // T is the key
}

// Passage is a part of a text, in bytes, and how it was disguised.
type Passage struct {
	Start, End int
	Disguise   disguise.Disguise
}

// MaxPerText limits the findings of one rule in one text. The last one has the
// number of others.
const MaxPerText = 20

// Merge sorts passages and makes one of those that overlap.
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

// Findings makes findings of passages in t, those that overlap into one and at most
// maxPerText.
func (t *Text) Findings(passages []Passage, message func(Passage) string) []Finding {
	merged := Merge(passages)
	more := max(0, len(merged)-MaxPerText)
	merged = merged[:len(merged)-more]
	found := make([]Finding, 0, len(merged))
	at := cursor{text: t.Value, line: 1, column: 1}
	for _, p := range merged {
		f := Finding{Path: t.Path, Message: message(p), Passage: t.Value[p.Start:p.End]}
		f.Line, f.Column = at.move(p.Start)
		f.EndLine, f.EndColumn = at.move(p.End)
		found = append(found, f)
	}
	if more > 0 {
		found[len(found)-1].More(more)
	}
	return found
}

// More says in the last finding of a text how many passages have none of their own.
func (f *Finding) More(passages int) {
	f.Message += fmt.Sprintf(" %d more such passages have no finding of their own.", passages)
}

// cursor turns byte offsets that only grow into lines and columns.
type cursor struct {
	text         string
	at           int
	line, column int
}

func (c *cursor) move(to int) (line, column int) {
	for c.at < to {
		if c.text[c.at] == '\n' {
			c.line++
			c.column = 1
			c.at++
			continue
		}
		_, n := utf8.DecodeRuneInString(c.text[c.at:])
		c.column++
		c.at += n
	}
	return c.line, c.column
}

// mostNamed is how many tools a text names; the documents for scripts have all.
const mostNamed = 12

// InTools counts and names the tools that findings stand in which are shown as one.
func InTools(names []string) string {
	more := ""
	total := len(names)
	if total > mostNamed {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", total-mostNamed)
	}
	return fmt.Sprintf("%d tools: %s%s", total, strings.Join(names, ", "), more)
}

// Alike returns a key that findings share which say the same of several tools of a
// server: those of one rule about the same words, as in a stock sentence.
func (f Finding) Alike() string {
	return f.Rule + "\x00" + string(f.Severity) + "\x00" + cmp.Or(f.Passage, f.Message)
}

// Importing is the advice to somebody who imports a tool, as a sentence of its own; ""
// for none.
func Importing(advice string) string {
	if advice == "" {
		return ""
	}
	first, n := utf8.DecodeRuneInString(advice)
	return "If you import it: " + string(unicode.ToLower(first)) + advice[n:]
}

// Remedies are what can be done about the finding, each a sentence or two: for the
// author of the text, and for whoever imports it.
func (f Finding) Remedies() []string {
	var list []string
	for _, remedy := range []string{f.Suggestion, Importing(f.Importer)} {
		if remedy != "" {
			list = append(list, remedy)
		}
	}
	return list
}
