package quotes

import (
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/review"
	"toolcrib/review/rules"
)

// Row is the findings in one row of a list: unwaived findings of the same severity about the same passage, or a
// single finding.
type Row []review.Standing

// Rows groups findings. Rows about the same passage are adjacent, at the position of the first finding.
func Rows(all []review.Standing) []Row {
	type passage struct {
		path, text   string
		line, column int
	}
	var groups [][]Row
	known := map[passage]int{}
	for _, s := range all {
		at := passage{s.Path, s.Passage, s.Line, s.Column}
		n, ok := known[at]
		if !ok || s.Passage == "" {
			n = len(groups)
			known[at], groups = n, append(groups, nil)
		}
		last := len(groups[n]) - 1
		if last < 0 || s.Waiver != nil || groups[n][last][0].Waiver != nil || groups[n][last][0].Severity != s.Severity {
			groups[n] = append(groups[n], Row{s})
		} else {
			groups[n][last] = append(groups[n][last], s)
		}
	}
	return slices.Concat(groups...)
}

func samePassage(a, b review.Standing) bool {
	return a.Passage != "" && a.Passage == b.Passage && a.Path == b.Path && a.Line == b.Line && a.Column == b.Column
}

// Rules returns the names of the rules, separated by spaces.
func (r Row) Rules() string {
	ids := lists.Map(r, func(s review.Standing) string { return s.Rule })
	return strings.Join(ids, " ")
}

// deeds describes what the text does without quoting it.
func (r Row) deeds() string {
	if len(r) == 1 {
		return r[0].Deed()
	}
	var deeds []string
	for _, s := range r {
		if deed := strings.TrimSuffix(s.Deed(), "."); !slices.Contains(deeds, deed) {
			deeds = append(deeds, deed)
		}
	}
	return strings.Join(deeds, " · ")
}

// Message describes the findings of row n. A passage is quoted only once for all of its rows.
func Message(list []Row, n int) string {
	switch r := list[n]; {
	case n > 0 && samePassage(list[n-1][0], r[0]):
		return r.deeds()
	case len(r) == 1:
		return r[0].Message
	case !r[0].Quoted():
		return r.deeds()
	default:
		return r.deeds() + ": " + rules.Quotation(r[0].Passage)
	}
}
