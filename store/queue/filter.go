// This file chooses the index for a filter and composes the query.

package queue

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/store/engine"
	"toolcrib/store/table"
)

// ScanLimit is the maximum number of proposals that are checked row by row. For more proposals, the text index is
// cheaper, although its cost depends on the number of all proposals.
const ScanLimit = 2_000

// termsOf converts q to filter terms. It converts terms about required approvals to a separate condition, because the
// approval policy is not in the database. The query q contains the policy, and termsOf translates the patterns of the
// approval rules to SQL.
func termsOf(q review.Query) ([]filter.Term, engine.Clause, error) {
	var terms []filter.Term
	if q.State != "" {
		terms = append(terms, filter.Holds(facts.State, string(q.State)))
	}
	switch {
	case strings.HasSuffix(q.Author, ":"):
		terms = append(terms, filter.Holds(facts.AuthorKind, q.Author))
	case q.Author != "":
		terms = append(terms, filter.Holds(facts.Author, q.Author))
	}
	if q.Subject != "" {
		terms = append(terms, filter.Holds(facts.Subject, q.Subject))
	}
	f, err := filter.Parse(q.Filter)
	var waits []engine.Clause
	for _, t := range f.Terms {
		if len(t.Any) == 0 || t.Any[0].Is != facts.Waits {
			terms = append(terms, t)
			continue
		}
		c := engine.Join(lists.Map(t.Any, func(a facts.Atom) engine.Clause { return waitsFor(q, a.Value) }), " OR ")
		if c.SQL = "(" + c.SQL + ")"; t.Not {
			c.SQL = "NOT " + c.SQL
		} else {
			terms = append(terms, filter.Holds(facts.State, string(proposals.UserReview)))
		}
		waits = append(waits, c)
	}
	return terms, engine.Join(waits, " AND "), err
}

// selectTerms returns the selection of the proposals that match all terms. It finds rows through the index of one term
// and checks the other terms on these rows. It prefers a term with few matches. If no term has few matches, it prefers
// an index that returns rows ordered by seq, because such an index fills a page quickly.
func (s Proposals) selectTerms(ctx context.Context, terms []filter.Term) (selection, error) {
	sel, used := s.ordered(terms)
	if used != nil && !s.matcher().hasOthers(terms, used) {
		return sel.with(s.matcher().rest(terms, used)), nil // the index of the used terms returns the rows in order
	}
	seqs, isFew, err := s.mostSelective(ctx, terms)
	switch {
	case err != nil:
		return selection{}, err
	case isFew:
		return among(seqs).with(s.matcher().rest(terms, nil)), nil
	case used != nil:
		return sel.with(s.matcher().rest(terms, used)), nil
	}
	sel, err = s.short(ctx, terms)
	return sel.with(s.matcher().rest(terms, nil)), err
}

// hasOthers reports whether an index supports any term that is not in used.
func (m matcher) hasOthers(terms []filter.Term, used []int) bool {
	for i, t := range terms {
		if _, ok := m.termRows(t); ok && !slices.Contains(used, i) {
			return true
		}
	}
	return false
}

// among returns the selection of the proposals with the given values of seq, a JSON array.
func among(seqs string) selection {
	sel := every()
	sel.add("p.seq IN (SELECT CAST(value AS bigint) FROM json_each(?, '$'))", seqs)
	return sel
}

// mostSelective looks for a term that matches at most ScanLimit proposals. It combines all text terms that the text
// index supports. The result isFew reports whether mostSelective found a term. In this case, seqs contains the seq of
// each match as a JSON array.
func (s Proposals) mostSelective(ctx context.Context, terms []filter.Term) (seqs string, isFew bool, err error) {
	var sources []engine.Clause
	wanted, unwanted, texts := indexedTexts(terms)
	for i, t := range terms {
		if source, ok := s.matcher().termRows(t); ok && !slices.Contains(texts, i) {
			sources = append(sources, source)
		}
	}
	if texts != nil {
		sources = append(sources, s.Engine.AllRows(wanted, unwanted))
	}
	for _, source := range sources {
		var n int
		err := s.EachUncached(ctx, engine.Numbered("SELECT count(*), '[' || coalesce(string_agg(CAST(seq AS text), ','), '') || ']' FROM (SELECT seq FROM ("+source.SQL+") listed LIMIT ?) few"),
			append(slices.Clone(source.Args), ScanLimit+1), func(row table.Scanner) error { return row.Scan(&n, &seqs) })
		if err != nil || n <= ScanLimit {
			return seqs, err == nil, err
		}
	}
	return "", false, nil
}

// termRows returns the query that finds the matches of t using only indexes. The result ok is false if no such query
// exists.
func (m matcher) termRows(t filter.Term) (engine.Clause, bool) {
	var all []engine.Clause
	for _, a := range t.Any {
		rows := m.lookup(a).rows
		if rows.SQL == "" || t.Not {
			return engine.Clause{}, false
		}
		all = append(all, rows)
	}
	return engine.Join(all, " UNION ALL "), true
}

// short returns a selection for a term with a text shorter than a trigram. It uses the trigrams that start with the
// text. If there are too many of these trigrams, it selects all proposals: matches are then so frequent that
// checking single rows fills a page quickly.
func (s Proposals) short(ctx context.Context, terms []filter.Term) (selection, error) {
	for _, t := range terms {
		if t.Not || len(t.Any) != 1 || t.Any[0].Is != facts.Text || strings.ContainsRune(t.Any[0].Value, 0) {
			continue
		}
		source, ok, err := s.Engine.Beginning(ctx, s.Conn, spellings(t.Any[0].Value))
		if err != nil {
			return selection{}, err
		}
		if ok {
			return from(source), nil
		}
	}
	return every(), nil
}

// ordered returns a selection with rows in the order of an index. It uses the text index if this index supports one of
// the terms, and otherwise the first term with an index that ends in seq. The result used contains the indexes of the
// terms that the selection covers. It is nil if no such index exists.
func (s Proposals) ordered(terms []filter.Term) (sel selection, used []int) {
	if wanted, unwanted, used := indexedTexts(terms); used != nil {
		return from(s.Engine.Matching(wanted, unwanted)), used
	}
	for i, t := range terms {
		if t.Not || len(t.Any) != 1 {
			continue
		}
		a := t.Any[0]
		if a.Is == facts.Rule {
			sel := selection{from: "proposal_rules r CROSS JOIN proposals p", seq: "r.proposal"}
			sel.add("p.seq = r.proposal AND r.rule = ?", a.Value)
			return sel, []int{i}
		}
		if l := s.matcher().lookup(a); l.ordered {
			return every().with(l.row), []int{i}
		}
	}
	return selection{}, nil
}

// indexedTexts returns the texts that a proposal must contain and the texts that it must not contain. It considers only
// texts that the text index supports. The result used contains the positions of these texts in terms. If no text is
// required, all results are nil.
func indexedTexts(terms []filter.Term) (wanted, unwanted []string, used []int) {
	for i, t := range terms {
		if len(t.Any) != 1 || t.Any[0].Is != facts.Text || utf8.RuneCountInString(t.Any[0].Value) < minIndexed || strings.ContainsRune(t.Any[0].Value, 0) {
			continue
		}
		used = append(used, i)
		if t.Not {
			unwanted = append(unwanted, t.Any[0].Value)
		} else {
			wanted = append(wanted, t.Any[0].Value)
		}
	}
	if wanted == nil {
		return nil, nil, nil
	}
	return wanted, unwanted, used
}

// every returns the selection of all proposals.
func every() selection { return selection{from: "proposals p", seq: "p.seq"} }

// from returns the selection for the matches of a text index.
func from(source engine.Source) selection {
	return selection{from: source.From, seq: source.Seq}.with(source.Where)
}

// matcher returns the matcher for the engine of s.
func (s Proposals) matcher() matcher { return matcher{s.Engine, s.Hints} }

// rest returns the conditions of the terms that are not in used. The conditions have a form that prevents the engine
// from using an index for them.
func (m matcher) rest(terms []filter.Term, used []int) engine.Clause {
	var all []engine.Clause
	for i, t := range terms {
		if slices.Contains(used, i) {
			continue
		}
		var atoms []engine.Clause
		for _, a := range t.Any {
			c := m.lookup(a).row
			if a.Is == facts.Text {
				c = m.textCondition(a.Value)
			}
			atoms = append(atoms, engine.Clause{SQL: "(" + c.SQL + ")", Args: c.Args})
		}
		c := engine.Join(atoms, " OR ")
		if c.SQL = m.Unindexed("(" + c.SQL + ")"); t.Not {
			c.SQL = "NOT " + c.SQL
		}
		all = append(all, c)
	}
	return engine.Join(all, " AND ")
}

// spellings returns all case variants of words. ASCII letters occur only in lower case, because the engine folds the
// case of ASCII letters, but not of other letters.
func spellings(words string) []string {
	all := []string{""}
	for _, r := range words {
		var longer []string
		for _, c := range engine.Cases(r) {
			for _, beginning := range all {
				longer = append(longer, beginning+string(c))
			}
		}
		all = longer
	}
	return all
}

// countSpellings returns the number of strings that spellings returns, or a number above maxSpellings if there are more
// than maxSpellings.
func countSpellings(words string) int {
	n := 1
	for _, r := range words {
		if n *= len(engine.Cases(r)); n > maxSpellings {
			break
		}
	}
	return n
}

// endorsements selects the approvals of the current revision of p that refer to the latest assessment of this
// revision.
const endorsements = `FROM decisions d WHERE d.proposal = p.id AND d.revision = p.revision AND d.verdict = 'endorsed'
	AND d.assessment = (SELECT a.id FROM assessments a WHERE a.proposal = p.id AND a.revision = p.revision ORDER BY a.seq DESC LIMIT 1)`

// unmoved is the condition that no member of p's change set changed after d, an approval of p.
const unmoved = `NOT EXISTS (SELECT 1 FROM proposals m WHERE m.change_set = p.change_set AND m.change_set <> '' AND (m.state = 'withdrawn' AND m.updated_at > d.decided_at
	OR EXISTS (SELECT 1 FROM revisions r WHERE r.proposal = m.id AND r.created_at > d.decided_at)))`

// waitsFor returns the condition that p still requires the approval of the given user according to the policy in q.
func waitsFor(q review.Query, user string) engine.Clause {
	c := engine.Clause{SQL: "p.state = 'user_review' AND NOT EXISTS (SELECT 1 " + endorsements + " AND d.decided_by = ? AND " + unmoved + ")", Args: []any{user}}
	if q.FourEyes {
		c = engine.Join([]engine.Clause{c, {SQL: "NOT EXISTS (SELECT 1 FROM revisions r WHERE r.proposal = p.id AND r.number = p.revision AND r.author = ?)", Args: []any{user}}}, " AND ")
	}
	var matched, owned []engine.Clause
	for _, r := range q.Approvals {
		m := matches(r)
		matched = append(matched, m)
		if slices.Contains(r.Owners, user) {
			owned = append(owned, engine.Join([]engine.Clause{m, lacksApprovals(r)}, " AND "))
		}
	}
	if len(matched) == 0 {
		return c
	}
	free := engine.Join(matched, " OR ")
	free.SQL = "NOT (" + free.SQL + ")"
	enough := engine.Join(append(owned, free), " OR ")
	enough.SQL = "(" + enough.SQL + ")"
	return engine.Join([]engine.Clause{c, enough}, " AND ")
}

// lacksApprovals returns the condition that p has fewer approvals by the owners in r than r requires.
func lacksApprovals(r approval.Rule) engine.Clause {
	return engine.Clause{SQL: "(SELECT count(DISTINCT d.decided_by) " + endorsements + " AND " + unmoved + " AND d.decided_by IN (" +
		strings.TrimSuffix(strings.Repeat("?, ", len(r.Owners)), ", ") + ")) < ?", Args: append(engine.Args(r.Owners), r.Approvals)}
}

// matches returns the condition that r applies to the subject of p.
func matches(r approval.Rule) engine.Clause {
	var all []engine.Clause
	for _, pattern := range r.Subjects {
		var c []engine.Clause
		for _, part := range []struct{ column, pattern, anything string }{
			{"p.kind", pattern.Kind, "*"}, {"p.layer", pattern.Layer, "**"}, {"p.subject_id", pattern.ID, "*"},
		} {
			switch {
			case part.pattern == part.anything:
			case strings.Contains(part.pattern, "*"):
				like := strings.NewReplacer("!", "!!", "_", "!_", "%", "!%", "*", "%").Replace(part.pattern)
				c = append(c, engine.Clause{SQL: part.column + " LIKE ? ESCAPE '!'", Args: []any{like}})
			default:
				c = append(c, engine.Clause{SQL: part.column + " = ?", Args: []any{part.pattern}})
			}
		}
		one := engine.Join(c, " AND ")
		if one.SQL = "(" + one.SQL + ")"; one.SQL == "()" {
			one.SQL = "1 = 1"
		}
		all = append(all, one)
	}
	c := engine.Join(all, " OR ")
	c.SQL = "(" + c.SQL + ")"
	return c
}
