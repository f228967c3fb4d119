// This file turns the matches of a rule's frames into candidates for findings.

package wording

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
)

// attack is a rule about wording. It covers one class of attack on agents that read a definition;
// package rulebook documents its fields.
type attack struct {
	rulebook.Rule
	severity rules.Severity
}

// attacks returns all classes of attack, sorted by id. Callers must not modify the result.
var attacks = sync.OnceValue(func() []attack {
	blocks := rulebook.Rules()
	list := make([]attack, len(blocks))
	for i, block := range blocks {
		a := &list[i]
		a.Rule, a.severity = block, rules.Severity(block.Severity)
	}
	return list
})

// extraChecks maps the names in the "extra" key of a rule to checks for attacks that frames cannot
// describe.
var extraChecks = map[string]func(c *View) []candidate{
	"fenced-calls":        fencedCalls,
	"directing-only":      directingOnly,
	"straying-parameters": executingParameters,
	"acting-besides":      unannouncedActions,
	"data-in-links":       dataInLinks,
	"credential-patterns": credentialPatterns,
}

// wordingRules returns the wording rules of a family, which is the first letter of their ids.
func wordingRules(family string) []rules.Rule {
	var list []rules.Rule
	for i := range attacks() {
		if a := &attacks()[i]; a.ID[:1] == family {
			list = append(list, rules.Rule{
				ID: a.ID, Name: a.Name, Severity: a.severity, Added: rules.Severity(a.Added), Doc: a.Doc, Suggestion: a.Suggestion, Importer: a.Importer, Waivable: true,
				Bad: strings.TrimPrefix(a.Bad[0], promptExample), Good: strings.TrimPrefix(a.Good[0], promptExample),
				Check: func(_ context.Context, c *rules.Change) ([]rules.Finding, error) {
					return Of(c).evidence().byRule[a.ID], nil
				},
			})
		}
	}
	return list
}

// promptExample begins an example that is a prompt. The documentation shows only its text.
const promptExample = "prompt :: "

// candidates returns what the frames and the extra checks of a find. The candidates have no scores yet.
func (a *attack) candidates(c *View) []candidate {
	var found []candidate
	for _, s := range c.scanned() {
		applies := s.Visible || a.Reports || a.Rationale && s.Path == "rationale"
		if applies && len(s.byRule) > 0 {
			found = append(found, a.findings(c, s)...)
		}
	}
	for _, name := range a.Extra {
		found = append(found, extraChecks[name](c)...)
	}
	return slices.Concat(found, a.needlessRequests(c), a.defaults(c))
}

// findings converts the matches of a in one text into candidates and merges those that overlap.
func (a *attack) findings(c *View, s *Scanned) []candidate {
	found := a.matched(c, s, a.ID, false)
	for _, strength := range []struct {
		frames, kind   string
		certain, plain bool
	}{
		{a.CompleteName(), rulebook.CompleteMark, c.IsAction() && s.Kind != rules.Identifier && s.Kind != rules.Value, false},
		{a.CertainName(), "", true, false},
		{a.PlainName(), "", true, true},
	} {
		for _, f := range a.matched(c, s, strength.frames, strength.plain) {
			f.kind, f.certain, f.plain = strength.kind, strength.certain, strength.plain
			if f.kind == rulebook.CompleteMark {
				f.Added = rules.Severity(a.CompleteAdded)
			}
			found = append(slices.DeleteFunc(found, f.overlaps), f)
		}
	}
	return found
}

// matched returns the candidates for the matches of the named frames in s. If said is set, it skips
// matches in quotation marks or code.
func (a *attack) matched(c *View, s *Scanned, frames string, said bool) []candidate {
	var spans []rules.Passage
	for _, i := range s.byRule[frames] {
		if m := &s.Matches[i]; !mentioned(m) && !a.isExcepted(c, s, m) && (!said || !m.Quoted && m.Stance&scan.Fenced == 0) {
			spans = append(spans, rules.Passage{Start: m.Start, End: s.addressEnd(m.End), Disguise: m.Disguise})
		}
	}
	return s.candidates(spans, func(rules.Passage) string {
		return strings.ReplaceAll(a.Message, "{purpose}", rules.Quotation(c.statedPurpose()))
	})
}

// addressEnd returns the end of the address that the passage ending at end runs into, or end if
// there is none. The host and the path belong to the finding.
func (s *Scanned) addressEnd(end int) int {
	const furthest = 400
	behind := s.Value[end:min(len(s.Value), end+furthest)]
	if !strings.HasPrefix(behind, "://") && !strings.HasPrefix(behind, "@") && !strings.HasPrefix(behind, ".") && !strings.HasPrefix(behind, "/") {
		return end
	}
	n := strings.IndexFunc(behind, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>)]}|", r) })
	if n < 0 {
		n = len(behind)
	}
	return end + len(strings.TrimRight(behind[:n], ".,;:!?"))
}

// candidate is a finding that has not been scored yet.
type candidate struct {
	rules.Finding
	// at is the passage in text; most is the maximum severity of the finding.
	text        *rules.Text
	passage     rules.Passage
	maxSeverity rules.Severity
	// certain findings warn and plain findings block, regardless of the score.
	certain, plain bool
	// dropped counts further passages that were dropped because the text has too many.
	dropped int
	// kind distinguishes the findings of a rule that detects several things, such as the items that
	// a parameter requests.
	kind string
}

// frame returns the name under which the learned tables list the threshold for f.
func (f *candidate) frame() string { return f.Rule + f.kind }

// overlaps reports whether f and o overlap in the same text.
func (f *candidate) overlaps(o candidate) bool {
	return f.text == o.text && f.passage.Start < o.passage.End && o.passage.Start < f.passage.End
}

// candidates returns a candidate for each passage in s after merging those that overlap. deed
// returns its message without a full stop.
func (s *Scanned) candidates(passages []rules.Passage, deed func(rules.Passage) string) []candidate {
	merged := rules.Merge(passages)
	more := max(0, len(merged)-rules.MaxPerText)
	found := make([]candidate, 0, len(merged)-more)
	for _, p := range merged[:len(merged)-more] {
		f := rules.Finding{Path: s.Path, Passage: s.Value[p.Start:p.End], Message: deed(p)}
		found = append(found, candidate{Finding: f, text: &s.Text, passage: p})
	}
	if more > 0 {
		found[len(found)-1].dropped = more
	}
	return found
}

// severities returns the severity of each class of attack by id.
var severities = sync.OnceValue(func() map[string]rules.Severity {
	m := map[string]rules.Severity{}
	for _, a := range attacks() {
		m[a.ID] = a.severity
	}
	return m
})

// warnsByDefault reports whether the rule with the given id has at least the severity warn.
func warnsByDefault(id string) bool {
	return severities()[rulebook.IDOf(id)].Rank() >= rules.Warn.Rank()
}
