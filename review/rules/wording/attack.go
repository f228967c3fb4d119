// This file turns the matches of a rule's frames into candidates, which are findings without a
// score.

package wording

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/internal/lists"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
)

// attack is a rule about wording. It covers one class of attacks on the agents that read a
// definition. Package rulebook documents its fields.
type attack struct {
	rulebook.Rule
	severity rules.Severity
}

// attacks returns the rules about wording, sorted by id. Callers must not modify the result.
var attacks = sync.OnceValue(func() []attack {
	blocks := rulebook.Rules()
	list := make([]attack, len(blocks))
	for i, block := range blocks {
		a := &list[i]
		a.Rule, a.severity = block, rules.Severity(block.Severity)
	}
	return list
})

// extraChecks contains the checks for attacks that frames cannot describe. The "extra" key of a
// rule refers to a check by its key in this map.
var extraChecks = map[string]func(c *View) []candidate{
	"fenced-calls":        fencedCalls,
	"directing-only":      directingOnly,
	"straying-parameters": executingParameters,
	"acting-besides":      unannouncedActions,
	"data-in-links":       dataInLinks,
	"credential-patterns": credentialPatterns,
}

// wordingRules returns the rules about wording of the given family, which is the first letter of
// their ids.
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

// promptExample is the prefix of an example that is a prompt. The documentation shows the example
// without the prefix.
const promptExample = "prompt :: "

// candidates returns the matches of the rule's frames and the results of its extra checks as
// candidates. They have no severity yet.
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

// findings returns a candidate for each match of a in s, after merging overlapping matches. A match
// of a stronger kind of frame replaces the overlapping matches of weaker kinds.
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

// matched returns the candidates for the matches of the named frames in s. If unquoted is set, it
// omits matches in quotation marks and in code blocks.
func (a *attack) matched(c *View, s *Scanned, frames string, unquoted bool) []candidate {
	var spans []rules.Passage
	for _, i := range s.byRule[frames] {
		if m := &s.Matches[i]; !mentioned(m) && !a.isExcepted(c, s, m) && (!unquoted || !m.Quoted && m.Stance&scan.Fenced == 0) {
			spans = append(spans, rules.Passage{Start: m.Start, End: s.addressEnd(m.End), Disguise: m.Disguise})
		}
	}
	return s.candidates(spans, func(rules.Passage) string {
		return strings.ReplaceAll(a.Message, "{purpose}", rules.Quotation(c.statedPurpose()))
	})
}

// addressEnd extends a passage that ends within an address, because a finding should include the
// whole host and path. The argument is the end of the passage. The result is the end of the
// address, or the argument if no address continues there.
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

// candidate is a finding that may not have been scored yet.
type candidate struct {
	rules.Finding
	// passage is the passage of text that the finding is about. maxSeverity is the maximum severity
	// of the finding.
	text        *rules.Text
	passage     rules.Passage
	maxSeverity rules.Severity
	// A certain finding warns, and a plain finding blocks, regardless of the score.
	certain, plain bool
	// dropped is the number of matching passages that were omitted, because a rule reports at most
	// rules.MaxPerText passages in a text.
	dropped int
	// kind distinguishes the findings of one rule, such as the kinds of data that a parameter
	// requests.
	kind string
}

// frame returns the name of the frame of f in the learned tables, which contain a threshold for
// each frame.
func (f *candidate) frame() string { return f.Rule + f.kind }

// overlaps reports whether f and o are in the same text and their passages overlap.
func (f *candidate) overlaps(o candidate) bool {
	return f.text == o.text && f.passage.Start < o.passage.End && o.passage.Start < f.passage.End
}

// candidates merges overlapping passages in s and returns a candidate for each result. deed returns
// the message of a candidate without a full stop.
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

// severities returns the severities of all rules about wording, indexed by id.
var severities = sync.OnceValue(func() map[string]rules.Severity {
	return lists.Index(attacks(), func(a attack) (string, rules.Severity) { return a.ID, a.severity })
})

// warnsByDefault reports whether the maximum severity of a rule is at least warn. id is the id of
// the rule or the name of one of its frames.
func warnsByDefault(id string) bool {
	return severities()[rulebook.IDOf(id)].Rank() >= rules.Warn.Rank()
}
