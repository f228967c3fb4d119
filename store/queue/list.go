// This file lists proposals page by page.

package queue

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/proposals/filter"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/store/engine"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// List implements review.ProposalReader. It uses keyset pagination; the cost of a page therefore
// does not depend on its position.
func (s Proposals) List(ctx context.Context, q review.Query) (review.Page, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = review.DefaultPage
	}
	limit = min(limit, review.MaxPage)
	read := s.listByTime
	if _, ok := keys[q.Order]; ok {
		read = s.listByKey
	}
	found, err := read(ctx, q, limit+1)
	if err != nil {
		return review.Page{}, err
	}
	page := review.Page{Proposals: found}
	if len(found) > limit {
		page.Proposals = found[:limit]
		if page.Next, err = s.cursor(ctx, q.Order, found[limit-1].ID); err != nil {
			return review.Page{}, err
		}
	}
	page.Prefixes, err = s.uniquePrefixes(ctx, page.Proposals)
	return page, err
}

// listByTime reads a page of proposals in the order of their creation.
func (s Proposals) listByTime(ctx context.Context, q review.Query, limit int) ([]proposals.Proposal, error) {
	terms, waits, err := termsOf(q)
	if err != nil {
		return nil, err
	}
	sel, err := s.selectTerms(ctx, terms)
	if err != nil {
		return nil, err
	}
	sel = sel.with(waits)
	k := key{direction: "DESC", beyond: "<"}
	switch q.Order {
	case review.ByNewest:
	case review.ByOldest:
		k = k.reversed()
	default:
		return nil, fmt.Errorf("unknown sort order of proposals: %s", jsondoc.Quote(string(q.Order)))
	}
	if q.Reverse {
		k = k.reversed()
	}
	if q.After != "" {
		var seq int64
		err := s.Row(ctx, "SELECT seq FROM proposals WHERE id = $1", []any{q.After}, &seq)
		if err != nil {
			return nil, table.Missing(err, "page after %s", jsondoc.Quote(q.After))
		}
		sel.add(sel.seq+" "+k.beyond+" ?", seq)
	}
	return s.listed(ctx, sel.query(listColumns)+" ORDER BY "+sel.seq+" "+k.direction+" LIMIT ?", append(sel.args, limit), q)
}

// listed reads the proposals that query selects. If q has a filter, it does not cache the prepared statement,
// because the number of different filters is unlimited.
func (s Proposals) listed(ctx context.Context, query string, args []any, q review.Query) ([]proposals.Proposal, error) {
	each := s.EachUncached
	if q.Filter == "" {
		each = s.Each
	}
	var found []proposals.Proposal
	scan := table.Reading(proposalRow)
	err := each(ctx, engine.Numbered(query), args, func(row table.Scanner) error {
		p, err := scan(row)
		found = append(found, p)
		return err
	})
	return found, err
}

// selection contains the FROM clause, the conditions, and the arguments of a query for proposals.
type selection struct {
	from  string // tables to join with live; includes "proposals p"
	seq   string // column that determines the order of pages
	where []string
	args  []any
}

func (s *selection) add(condition string, values ...any) {
	s.where, s.args = append(s.where, condition), append(s.args, values...)
}

// with returns the selection with the additional condition c. An empty condition changes nothing.
func (s selection) with(c engine.Clause) selection {
	if c.SQL != "" {
		s.where, s.args = append(slices.Clip(s.where), c.SQL), append(slices.Clip(s.args), c.Args...)
	}
	return s
}

// query returns a query for the given columns of p (proposals) and l (live versions of their subjects).
func (s selection) query(columns string) string {
	query := "SELECT " + columns + " FROM " + s.from + " LEFT JOIN live l ON l.subject = p.subject"
	if len(s.where) > 0 {
		query += " WHERE " + strings.Join(s.where, " AND ")
	}
	return query
}

// uniquePrefixes returns the length, in characters, of the shortest unique prefix of each proposal's id. This
// is one more than the length of the longest prefix that the id shares with its neighbors in the index.
func (s Proposals) uniquePrefixes(ctx context.Context, page []proposals.Proposal) ([]int, error) {
	ids := lists.Map(page, func(p proposals.Proposal) proposals.ID { return p.ID })
	unique := make(map[proposals.ID]int, len(ids))
	err := s.Each(ctx, `SELECT j.value,
			coalesce((SELECT id FROM proposals WHERE id < j.value ORDER BY id DESC LIMIT 1), ''),
			coalesce((SELECT id FROM proposals WHERE id > j.value ORDER BY id LIMIT 1), '')
		FROM json_each($1, '$') j`, []any{table.JSONArray(ids)}, func(row table.Scanner) error {
		var id proposals.ID
		var before, after string
		if err := row.Scan(&id, &before, &after); err != nil {
			return err
		}
		unique[id] = max(common(string(id), before), common(string(id), after)) + 1
		return nil
	})
	lengths := lists.Map(ids, func(id proposals.ID) int { return unique[id] })
	return lengths, err
}

// common returns the length of the longest common prefix of a and b.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// key is the sort key of an order of proposals. If column is empty, the order is by time. Rows with equal values
// are ordered by seq.
type key struct {
	column    string
	direction string // "ASC" or "DESC", for column and seq
	beyond    string // comparison of a row with the previous row: "<" if direction is "DESC", otherwise ">"
	index     string // name of the index on (state, column, seq)
}

var keys = map[review.Order]key{
	review.ByRisk:    {"risk", "DESC", "<", "proposals_by_risk"},
	review.BySubject: {"subject", "ASC", ">", "proposals_by_state_subject"},
	review.ByAuthor:  {"author", "ASC", ">", "proposals_by_state_author"},
}

// reversed returns the key for the opposite order.
func (k key) reversed() key {
	if k.direction == "ASC" {
		k.direction, k.beyond = "DESC", "<"
	} else {
		k.direction, k.beyond = "ASC", ">"
	}
	return k
}

// cursorMark separates a risk from an id in a cursor. The cursor contains the risk because an assessment can
// change the risk of the proposal before the next page is read.
const cursorMark = "~"

// cursor returns the cursor for the page that follows the proposal with the given id.
func (s Proposals) cursor(ctx context.Context, o review.Order, id proposals.ID) (string, error) {
	if o != review.ByRisk {
		return string(id), nil
	}
	var risk int64
	err := s.Row(ctx, "SELECT risk FROM proposals WHERE id = $1", []any{id}, &risk)
	return strconv.FormatInt(risk, 10) + cursorMark + string(id), err
}

// place parses a cursor. It returns the sort key and the seq of the proposal at the end of the previous page.
func (s Proposals) place(ctx context.Context, k key, cursor string) (value any, seq int64, err error) {
	risk, id, marked := strings.Cut(cursor, cursorMark)
	if !marked {
		id = cursor
	}
	err = s.Row(ctx, "SELECT "+k.column+", seq FROM proposals WHERE id = $1", []any{id}, &value, &seq)
	if err == nil && marked {
		value, err = strconv.ParseInt(risk, 10, 64)
		if err != nil || k.column != "risk" {
			return nil, 0, table.NotFound("page after %s", jsondoc.Quote(cursor))
		}
	}
	return value, seq, table.Missing(err, "page after %s", jsondoc.Quote(cursor))
}

// listByKey reads a page of proposals ordered by a sort key. If few proposals match, it sorts them. Otherwise, it
// reads them in the order of an index.
func (s Proposals) listByKey(ctx context.Context, q review.Query, limit int) ([]proposals.Proposal, error) {
	k := keys[q.Order]
	if q.Reverse {
		k = k.reversed()
	}
	terms, waits, err := termsOf(q)
	if err != nil {
		return nil, err
	}
	var states []string // states to read, each with its own range of the index
	var others []filter.Term
	for _, t := range terms {
		if states != nil || t.Not || slices.ContainsFunc(t.Any, func(a facts.Atom) bool { return a.Is != facts.State }) {
			others = append(others, t)
			continue
		}
		for _, a := range t.Any {
			if !slices.Contains(states, a.Value) {
				states = append(states, a.Value)
			}
		}
	}
	if states == nil {
		states = lists.Map(proposals.States(), func(s proposals.State) string { return string(s) })
	}
	seqs, isFew, err := s.mostSelective(ctx, others)
	if err != nil {
		return nil, err
	}
	if !isFew {
		return s.walk(ctx, q, k, states, every().with(s.matcher().rest(others, nil)).with(waits), limit)
	}
	sel := among(seqs).with(s.matcher().rest(terms, nil)).with(waits)
	if q.After != "" {
		value, seq, err := s.place(ctx, k, q.After)
		if err != nil {
			return nil, err
		}
		sel.add("(p."+k.column+", p.seq) "+k.beyond+" (?, ?)", value, seq)
	}
	return s.listed(ctx, sel.query(listColumns)+k.orderBy("p."+k.column, "p.seq")+" LIMIT ?", append(sel.args, limit), q)
}

// walk reads the proposals of sel in the order of an index. It reads each state separately and merges the
// results. If q.After is set, it reads two ranges for each state: the rest of the rows with the same key, and the
// rows with later keys. The ranges are separate because the index supports only one of the two conditions at a
// time.
func (s Proposals) walk(ctx context.Context, q review.Query, k key, states []string, sel selection, limit int) ([]proposals.Proposal, error) {
	sel.from += s.Hints.IndexedBy(k.index)
	ranges := []engine.Clause{{}}
	if q.After != "" {
		value, seq, err := s.place(ctx, k, q.After)
		if err != nil {
			return nil, err
		}
		column := "p." + k.column
		ranges = []engine.Clause{
			{SQL: column + " = ? AND p.seq " + k.beyond + " ?", Args: []any{value, seq}},
			{SQL: column + " " + k.beyond + " ?", Args: []any{value}},
		}
	}
	var queries []string
	var args []any
	for _, state := range states {
		for _, r := range ranges {
			part := sel.with(engine.Clause{SQL: "p.state = ?", Args: []any{state}}).with(r)
			queries = append(queries, "SELECT p.seq AS seq, p."+k.column+" AS k FROM "+part.from+" WHERE "+strings.Join(part.where, " AND "))
			args = append(args, part.args...)
		}
	}
	merged := strings.Join(queries, " UNION ALL ") + k.orderBy("k", "seq") + " LIMIT ?"
	found := selection{from: "(" + merged + ") found CROSS JOIN proposals p", where: []string{"p.seq = found.seq"}, args: append(args, limit)}
	return s.listed(ctx, found.query(listColumns)+k.orderBy("found.k", "found.seq"), found.args, q)
}

func (k key) orderBy(column, seq string) string {
	return fmt.Sprintf(" ORDER BY %s %s, %s %s", column, k.direction, seq, k.direction)
}

// Shown implements review.RecordReader.
func (s Records) Shown(ctx context.Context, user proposals.Actor, ids []proposals.ID) (map[proposals.ID]review.Shown, error) {
	found, err := table.All(ctx, s.Reviews, table.Reading(ShownTable.Columns),
		"SELECT "+ShownTable.Columns(new(review.Shown)).Of("s")+` FROM (SELECT DISTINCT value FROM json_each($1, '$')) j CROSS JOIN shown s WHERE s."user" = $2 AND s.proposal = j.value`,
		table.JSONArray(ids), user.String())
	if err != nil {
		return nil, err
	}
	byID := lists.Index(found, func(f review.Shown) (proposals.ID, review.Shown) { return f.Proposal, f })
	return byID, nil
}

// ShownTable describes the table that records, for each user and proposal, the review that the user last saw.
var ShownTable = table.Of("shown", shownColumns)

func shownColumns(f *review.Shown) table.Columns {
	parts := table.StoredJSON(&f.ShownParts, func(p review.ShownParts) ([]byte, error) { return jsondoc.Marshal(p) })
	return table.Columns{table.Col("proposal", (*string)(&f.Proposal)), table.Col("digest", &f.Digest), table.Col("parts", parts), table.Col("shown_at", table.Time(&f.At))}
}

// Remember records the reviews that a user has seen. It replaces earlier records for the same proposals.
func Remember(ctx context.Context, s *session.Session, user proposals.Actor, shown []review.Shown) error {
	for _, f := range shown {
		parts, err := jsondoc.Marshal(f.ShownParts)
		if err != nil {
			return err
		}
		_, err = s.Exec(ctx, `INSERT INTO shown ("user", proposal, digest, parts, shown_at) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT ("user", proposal) DO UPDATE SET digest = excluded.digest, parts = excluded.parts, shown_at = excluded.shown_at`,
			user.String(), f.Proposal, f.Digest, string(parts), history.Timestamp(f.At))
		if err != nil {
			return err
		}
	}
	return nil
}

// bundle is a row of selectBundles. The fields revised, assessed, and waived report whether the proposal has a
// revision, an assessment, and waivers.
type bundle struct {
	review.Bundle
	revised, assessed, waived bool
}

// selectBundles selects proposals by id. For each proposal, it selects the current revision, the latest
// assessment of this revision, and whether waivers exist.
var selectBundles = "SELECT" + listColumns + ", " + RevisionTable.Columns(new(proposals.Revision)).Maybe("r", "seq") + ", " +
	records.AssessmentTable.Columns(new(review.Assessment)).Maybe("a", "seq") + `, EXISTS (SELECT 1 FROM waivers w WHERE w.proposal = p.id)
	FROM json_each($1, '$') j CROSS JOIN proposals p
	LEFT JOIN live l ON l.subject = p.subject
	LEFT JOIN revisions r ON r.proposal = p.id AND r.number = p.revision
	LEFT JOIN assessments a ON a.seq = (SELECT max(seq) FROM assessments WHERE proposal = p.id AND revision = p.revision)
	WHERE p.id = j.value`

// Bundles implements review.RecordReader.
func (s Records) Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error) {
	list := table.JSONArray(ids)
	columns := func(b *bundle) table.Columns {
		return slices.Concat(proposalRow(&b.Proposal), RevisionTable.Columns(&b.Revision).When(&b.revised), records.AssessmentTable.Columns(&b.Assessment).When(&b.assessed),
			table.Columns{table.Col("waived", &b.waived)})
	}
	found, err := table.All(ctx, s.Reviews, table.Reading(columns), selectBundles, list)
	if err != nil {
		return nil, err
	}
	byID := make(map[proposals.ID]*review.Bundle, len(found))
	waived := false
	for i := range found {
		p := found[i].Proposal
		if !found[i].revised {
			return nil, table.NotFound("revision %d of proposal %s", p.Revision, p.ID)
		}
		byID[p.ID] = &found[i].Bundle
		waived = waived || found[i].waived
	}
	if waived {
		if err := s.bundleWaivers(ctx, list, byID); err != nil {
			return nil, err
		}
	}
	bundles := make([]review.Bundle, len(ids))
	for i, id := range ids {
		b, ok := byID[id]
		if !ok {
			return nil, table.NotFound("proposal %s", id)
		}
		bundles[i] = *b
	}
	return bundles, nil
}

// bundleWaivers reads the waivers of the proposals in list, a JSON array of ids, and adds them to the bundles of
// the proposals.
func (s Records) bundleWaivers(ctx context.Context, list string, bundles map[proposals.ID]*review.Bundle) error {
	query := "SELECT " + records.WaiverTable.Columns(new(records.Waiver)).Of("w") + ` FROM (SELECT DISTINCT value FROM json_each($1, '$')) j CROSS JOIN waivers w WHERE w.proposal = j.value ORDER BY w.seq`
	waivers, err := table.All(ctx, s.Reviews, table.Reading(records.WaiverTable.Columns), query, list)
	if err != nil {
		return err
	}
	for _, w := range waivers {
		b, ok := bundles[w.Proposal]
		if !ok {
			return fmt.Errorf("%w: a waiver refers to proposal %s, which is missing", engine.ErrDamaged, w.Proposal)
		}
		b.Waivers = append(b.Waivers, w.Waiver)
	}
	for _, b := range bundles {
		if b.Waivers, err = records.Signatures(s.Reviews).CountedWaivers(ctx, b.Proposal, b.Waivers); err != nil {
			return err
		}
	}
	return nil
}
