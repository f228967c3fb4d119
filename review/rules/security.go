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
	"S101": func(c *Change, s *scanned, m *scan.Match) bool {
		return sparesData(c, s, m) || s.governs() && !m.Within.Meets(grammar().Concept("override|cancel|void|precedence|neg|xOverride"))
	},
	"S102": func(_ *Change, s *scanned, m *scan.Match) bool {
		return s.governs() && m.Within.Meets(grammar().Concept("hiddenSelf|instr"))
	},
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
	"S129": func(_ *Change, _ *scanned, m *scan.Match) bool { return m.Sentence.Meets(grammar().Concept("asData")) },
	"S117": func(c *Change, s *scanned, m *scan.Match) bool { return s.governs() || ownTask(c, s, m) },
	"S132": func(_ *Change, s *scanned, _ *scan.Match) bool { return s.governs() },
	"S145": ownBusiness,
	"S150": func(c *Change, s *scanned, _ *scan.Match) bool { return !c.isAction() || !s.inValue() },
	"S151": func(c *Change, s *scanned, _ *scan.Match) bool { return !c.isAction() || s.governs() },
	"S146": func(c *Change, s *scanned, m *scan.Match) bool { return s.governs() || ownBusiness(c, s, m) },
	"S147": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.isAction() && c.about("dTalk|dAuth") },
	"S122": func(_ *Change, s *scanned, _ *scan.Match) bool { return s.Kind == Identifier || s.Kind == Label },
	"S119": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.about("dAuth") },
	"S121": func(c *Change, s *scanned, _ *scan.Match) bool { return !c.strays(s) },
	"S134": func(c *Change, _ *scanned, _ *scan.Match) bool { return c.about("dAuth") },
}

// ownTask reports whether the description begins with m, in words of the tool's
// name: "send_feedback: Sends feedback to the makers".
func ownTask(c *Change, s *scanned, m *scan.Match) bool {
	t := c.Draft.Definition.Tool
	said := wordsOf(s.Value[m.Start:m.End])
	if t == nil || s.Path != "definition.description" || m.Start > 0 || len(said) < 2 {
		return false
	}
	own := map[string]bool{}
	for w := range wordsIn(t.ID) {
		own[stem(w)] = true
	}
	return own[stem(said[0])] && own[stem(said[1])]
}

// ownBusiness reports whether the tool's names or first sentence speak of what m
// speaks of: what a tool says openly that it is for, it may do.
func ownBusiness(c *Change, s *scanned, m *scan.Match) bool {
	return c.isAction() && c.concerns(withoutLinks(s.Value[m.Start:m.End]))
}

// also finds, by id, what frames can not describe.
var also = map[string]func(c *Change) []Finding{
	"P101": fencedCalls,
	"S104": directingOnly,
	"S121": func(c *Change) []Finding {
		return slices.Concat(straying(c), actingBesides(c), reachingParameters(c))
	},
	"S132": dataInLinks,
	"S150": valuesThatLeak,
}

// attacks lists every class, by id.
func attacks() []attack {
	return slices.Concat(
		overriding(), concealing(), taking(), meddling(), pretending(), steering(), sleeping(), wrecking(), prying(),
		overreaching(), planting(), mismatching(), speakingValues(), falsifying(), protocolAttacks(),
	)
}

// security is the S family: text that works on the model that reads it.
func security() []Rule {
	var rules []Rule
	for _, a := range attacks() {
		if a.id[0] == 'S' {
			rules = append(rules, a.rule())
		}
	}
	rules = append(append(rules, hiding()...), harvest(), unrendered(), signs())
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

func (a attack) rule() Rule {
	return Rule{
		ID: a.id, Name: a.name, Severity: a.severity, Doc: a.doc, Suggestion: a.suggestion, Waivable: true, Bad: example(a.bad), Good: example(a.good),
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			return c.evidence().byRule[a.id], nil
		},
	}
}

// look finds what the frames of a and its extra checks find, before it is weighed.
func (a attack) look(c *Change) []Finding {
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
	return found
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
