package store

import (
	"strings"

	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/review/approval"
)

// Whose approval a proposal waits for depends on the policy, of which the database
// knows nothing: the query has it, and its patterns become conditions.

// splitWaits takes the terms about approvals out of the others, as one condition. A
// proposal that waits for somebody is in a state that finds it.
func splitWaits(q review.Query, terms []filter.Term) ([]filter.Term, clause) {
	var others []filter.Term
	var conditions []clause
	for _, t := range terms {
		if len(t.Any) == 0 || t.Any[0].Is != filter.Waits {
			others = append(others, t)
			continue
		}
		var anyOf []clause
		for _, a := range t.Any {
			anyOf = append(anyOf, waitsFor(q, a.Value))
		}
		c := join(anyOf, " OR ")
		if c.SQL = "(" + c.SQL + ")"; t.Not {
			c.SQL = "NOT " + c.SQL
		} else {
			others = append(others, filter.Holds(filter.State, string(proposals.UserReview)))
		}
		conditions = append(conditions, c)
	}
	return others, join(conditions, " AND ")
}

// endorsements are the approvals of the current revision of p, by its last
// assessment.
const endorsements = `FROM decisions d WHERE d.proposal = p.id AND d.revision = p.revision AND d.verdict = 'endorsed'
	AND d.assessment = (SELECT a.id FROM assessments a WHERE a.proposal = p.id AND a.revision = p.revision ORDER BY a.seq DESC LIMIT 1)`

// unmoved is the condition that no member of the change set of p changed after an
// approval d of it.
const unmoved = `NOT EXISTS (SELECT 1 FROM proposals m WHERE m.change_set = p.change_set AND m.change_set <> '' AND (m.state = 'withdrawn' AND m.updated_at > d.decided_at
	OR EXISTS (SELECT 1 FROM revisions r WHERE r.proposal = m.id AND r.created_at > d.decided_at)))`

// waitsFor returns the condition that the approval of a user would bring p nearer to
// what the policy asks for.
func waitsFor(q review.Query, user string) clause {
	c := clause{SQL: "p.state = 'user_review' AND NOT EXISTS (SELECT 1 " + endorsements + " AND d.decided_by = ? AND " + unmoved + ")", Args: []any{user}}
	if q.FourEyes {
		c = join([]clause{c, {SQL: "NOT EXISTS (SELECT 1 FROM revisions r WHERE r.proposal = p.id AND r.number = p.revision AND r.author = ?)", Args: []any{user}}}, " AND ")
	}
	var matched, owned []clause
	for _, r := range q.Approvals {
		m := matches(r)
		matched = append(matched, m)
		for _, owner := range r.Owners {
			if owner == user {
				owned = append(owned, join([]clause{m, tooFew(r)}, " AND "))
				break
			}
		}
	}
	if len(matched) == 0 {
		return c
	}
	free := join(matched, " OR ")
	free.SQL = "NOT (" + free.SQL + ")"
	enough := join(append(owned, free), " OR ")
	enough.SQL = "(" + enough.SQL + ")"
	return join([]clause{c, enough}, " AND ")
}

// tooFew returns the condition that fewer owners approved p than a rule asks for.
func tooFew(r approval.Rule) clause {
	c := clause{SQL: "(SELECT count(DISTINCT d.decided_by) " + endorsements + " AND " + unmoved + " AND d.decided_by IN (" +
		strings.TrimSuffix(strings.Repeat("?, ", len(r.Owners)), ", ") + ")) < ?"}
	for _, owner := range r.Owners {
		c.Args = append(c.Args, owner)
	}
	c.Args = append(c.Args, r.Approvals)
	return c
}

// matches returns the condition that a rule names the subject of p.
func matches(r approval.Rule) clause {
	var all []clause
	for _, pattern := range r.Subjects {
		var c []clause
		for _, part := range []struct{ column, pattern, anything string }{
			{"p.kind", pattern.Kind, "*"}, {"p.layer", pattern.Layer, "**"}, {"p.subject_id", pattern.ID, "*"},
		} {
			switch {
			case part.pattern == part.anything:
			case strings.Contains(part.pattern, "*"):
				like := strings.NewReplacer("!", "!!", "_", "!_", "%", "!%", "*", "%").Replace(part.pattern)
				c = append(c, clause{SQL: part.column + " LIKE ? ESCAPE '!'", Args: []any{like}})
			default:
				c = append(c, clause{SQL: part.column + " = ?", Args: []any{part.pattern}})
			}
		}
		one := join(c, " AND ")
		if one.SQL = "(" + one.SQL + ")"; one.SQL == "()" {
			one.SQL = "1 = 1"
		}
		all = append(all, one)
	}
	c := join(all, " OR ")
	c.SQL = "(" + c.SQL + ")"
	return c
}
