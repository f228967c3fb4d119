package rules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/review/rules/scan"
)

// attack describes one class of attack on the agent that reads a definition:
// the turns of phrase it is made of, and what is said about them.
type attack struct {
	id, name   string
	severity   Severity
	doc        string
	suggestion string
	// message says what is wrong with a passage; the passage follows it.
	message string
	// frames are patterns over the lexicon; see scan.Frame.
	frames []string
	// reports says that the class also counts in texts that only reviewers
	// read.
	reports bool
	// bad and good are texts as example takes them.
	bad, good string
}

// unless tells, by id, an honest use of words from an attack.
var unless = map[string]func(c *Change, s *scanned, m *scan.Match) bool{
	"S104": func(_ *Change, s *scanned, _ *scan.Match) bool { return s.governs() },
	"S116": func(_ *Change, s *scanned, _ *scan.Match) bool { return s.governs() || s.Param != "" },
	"S135": func(_ *Change, s *scanned, _ *scan.Match) bool { return s.governs() },
	"S136": func(_ *Change, s *scanned, _ *scan.Match) bool { return s.governs() },
	"S124": func(_ *Change, s *scanned, m *scan.Match) bool {
		return s.governs() && !m.Within.Meets(grammar().Concept("addresseeMark|template"))
	},
	"S138": func(c *Change, s *scanned, _ *scan.Match) bool {
		return !c.isAction() || s.Param != "" || c.about("dAuth")
	},
	"S141": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.isAction() },
	"S142": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.isAction() },
	"S143": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.isAction() },
	"S122": func(_ *Change, s *scanned, _ *scan.Match) bool { return s.Kind == Identifier || s.Kind == Label },
	"S119": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.about("dAuth") },
	"S121": func(c *Change, s *scanned, _ *scan.Match) bool { return !c.strays(s) },
	"S134": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.about("dAuth") },
}

// also finds, by id, what frames can not describe.
var also = map[string]func(c *Change) []Finding{
	"P101": fencedCalls,
	"S104": directingOnly,
	"S121": func(c *Change) []Finding {
		return slices.Concat(straying(c), actingBesides(c), reachingParameters(c))
	},
	"S132": dataInLinks,
}

// attacks lists every class, by id.
func attacks() []attack {
	return slices.Concat(overriding(), concealing(), taking(), meddling(), pretending(), steering(), sleeping(), wrecking(), prying(), mismatching(), protocolAttacks())
}

// security is the S family: text that works on the model that reads it.
func security() []Rule {
	var rules []Rule
	for _, a := range attacks() {
		if a.id[0] == 'S' {
			rules = append(rules, a.rule())
		}
	}
	rules = append(append(rules, hiding()...), harvest(), signs())
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

func (a attack) rule() Rule {
	return Rule{
		ID: a.id, Name: a.name, Severity: a.severity, Doc: a.doc, Suggestion: a.suggestion, Waivable: true, Bad: example(a.bad), Good: example(a.good),
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			var found []Finding
			for i := range c.scan() {
				s := &c.scan()[i]
				if !s.Visible && !a.reports || len(s.byRule[a.id]) == 0 {
					continue
				}
				found = append(found, a.findings(c, s)...)
			}
			if more := also[a.id]; more != nil {
				found = append(found, more(c)...)
			}
			return found, nil
		},
	}
}

// findings turns the matches of a in one text into findings, overlapping ones
// into one.
func (a attack) findings(c *Change, s *scanned) []Finding {
	var spans []passage
	honest := unless[a.id]
	for _, i := range s.byRule[a.id] {
		m := &s.Matches[i]
		if mentioned(m) || honest != nil && honest(c, s, m) {
			continue
		}
		spans = append(spans, passage{m.Start, m.End, m.Disguise})
	}
	return s.findings(spans, func(p passage) string {
		if p.disguise != 0 {
			return fmt.Sprintf("%s, in disguise (%s).", a.message, disguised(p.disguise))
		}
		return a.message + "."
	})
}
