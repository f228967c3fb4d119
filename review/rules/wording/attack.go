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

// attack is a rule about wording: one class of attack on the agent that reads a
// definition, as package rulebook describes it.
type attack struct {
	rulebook.Rule
	severity rules.Severity
}

// attacks returns every class, by id. The list is not to be changed.
var attacks = sync.OnceValue(func() []attack {
	blocks := rulebook.Rules()
	list := make([]attack, len(blocks))
	for i, block := range blocks {
		a := &list[i]
		a.Rule, a.severity = block, rules.Severity(block.Severity)
	}
	return list
})

// extraChecks find, by the name that a block gives as extra, what frames cannot
// describe.
var extraChecks = map[string]func(c *View) []candidate{
	"fenced-calls":        fencedCalls,
	"directing-only":      directingOnly,
	"straying-parameters": strayingParameters,
	"acting-besides":      actingBesides,
	"data-in-links":       dataInLinks,
}

// wordingRules returns the rules of a family that are about wording.
func wordingRules(family string) []rules.Rule {
	var list []rules.Rule
	for i := range attacks() {
		if a := &attacks()[i]; a.ID[:1] == family {
			list = append(list, a.rule())
		}
	}
	return list
}

// rule returns a as a rule.
func (a *attack) rule() rules.Rule {
	return rules.Rule{
		ID: a.ID, Name: a.Name, Severity: a.severity, Added: rules.Severity(a.Added), Doc: a.Doc, Suggestion: a.Suggestion, Importer: a.Importer, Waivable: true, Bad: shown(a.Bad[0]), Good: shown(a.Good[0]),
		Check: func(_ context.Context, change *rules.Change) ([]rules.Finding, error) {
			c := Of(change)
			return c.evidence().byRule[a.ID], nil
		},
	}
}

// shown returns the part of an example that a reader needs: of a prompt, its text.
func shown(example string) string { return strings.TrimPrefix(example, "prompt :: ") }

// reads reports whether a checks a text: one that agents see, or one for reviewers if the rule
// includes those.
func (a *attack) reads(s *Scanned) bool {
	return s.Visible || a.Reports || a.Rationale && s.Path == "rationale"
}

// look finds what the frames of a and its extra checks find, before it is weighed.
func (a *attack) look(c *View) []candidate {
	var found []candidate
	for _, s := range c.Scan() {
		if a.reads(s) && len(s.byRule) > 0 {
			found = append(found, a.findings(c, s)...)
		}
	}
	for _, name := range a.Extra {
		found = append(found, extraChecks[name](c)...)
	}
	return slices.Concat(found, a.needless(c), a.defaults(c))
}

// findings turns the matches of a in one text into findings, overlapping ones
// into one.
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
			found = append(slices.DeleteFunc(found, f.overlaps), f)
		}
	}
	return found
}

// matched returns findings of the matches of the named frames in s; if said, only
// of those outside quotation marks and code.
func (a *attack) matched(c *View, s *Scanned, frames string, said bool) []candidate {
	var spans []rules.Passage
	for _, i := range s.byRule[frames] {
		if m := &s.Matches[i]; !mentioned(m) && !a.excepts(c, s, m) && (!said || !m.Quoted && m.Stance&scan.Fenced == 0) {
			spans = append(spans, rules.Passage{Start: m.Start, End: s.addressEnd(m.End), Disguise: m.Disguise})
		}
	}
	return s.candidates(spans, func(rules.Passage) string {
		return strings.ReplaceAll(a.Message, "{purpose}", rules.Quotation(c.statedPurpose()))
	})
}

// addressEnd returns end, or where the address ends that a passage ends in: its host
// and path belong to what was found.
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

// excepts reports whether m is an honest use of the words of a.
func (a *attack) excepts(c *View, s *Scanned, m *scan.Match) bool {
	return slices.ContainsFunc(a.Except, func(e rulebook.Exception) bool { return holds(e, c, s, m) })
}

// candidate is a finding before its evidence is weighed.
type candidate struct {
	rules.Finding
	// text holds the passage at; most is the worst severity that it can get.
	text *rules.Text
	at   rules.Passage
	most rules.Severity
	// certain reports that it warns under every learned table, plain that it blocks.
	certain, plain bool
	// more is how many passages besides have no candidate, as there are too many.
	more int
	// kind tells findings of a rule that looks for several things apart, such as what
	// a parameter asks for.
	kind string
}

// frame names the turn of phrase that was found, as the learned tables know it.
func (f *candidate) frame() string { return f.Rule + f.kind }

// overlaps reports whether f and o share a part of a text.
func (f *candidate) overlaps(o candidate) bool {
	return f.text == o.text && f.at.Start < o.at.End && o.at.Start < f.at.End
}

// candidates makes candidates of passages in s, those that overlap into one. Their
// message is the deed, without a full stop.
func (s *Scanned) candidates(passages []rules.Passage, deed func(rules.Passage) string) []candidate {
	merged := rules.Merge(passages)
	more := max(0, len(merged)-rules.MaxPerText)
	found := make([]candidate, 0, len(merged)-more)
	for _, p := range merged[:len(merged)-more] {
		f := rules.Finding{Path: s.Path, Passage: s.Value[p.Start:p.End], Message: deed(p)}
		found = append(found, candidate{Finding: f, text: &s.Text, at: p})
	}
	if more > 0 {
		found[len(found)-1].more = more
	}
	return found
}

// severities returns the severity of each class of attack, by id.
var severities = sync.OnceValue(func() map[string]rules.Severity {
	m := map[string]rules.Severity{}
	for _, a := range attacks() {
		m[a.ID] = a.severity
	}
	return m
})

// counts reports whether a match for the rule with the given id is a warning
// or worse.
func counts(id string) bool { return severities()[rulebook.IDOf(id)].Rank() >= rules.Warn.Rank() }
