// This file finds differences between the structure of a database and the migrations.

package pg

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/store/engine"
)

var (
	wordPattern = regexp.MustCompile(`'(?:[^']|'')*'|[\w:]+|<>|>=|<=|<|>`)
	// normalizer removes forms that the server writes differently; added lists words that it adds.
	normalizer = strings.NewReplacer(" NOT IN ", " <> ALL ", "toolcrib.", "")
	addedWords = []string{"in", "any", "array", "using", "btree", "text", "::text", "true", "null"}
)

// words returns the words of a statement in alphabetical order, normalized so that the source and
// the server's version of the same statement compare equal.
func words(statement string) string {
	var all []string
	for _, w := range wordPattern.FindAllString(normalizer.Replace(statement), -1) {
		if !strings.HasPrefix(w, "'") {
			w = strings.ToLower(w)
		}
		if !strings.HasPrefix(w, "::") && !slices.Contains(addedWords, w) {
			all = append(all, w)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// constraints selects the CHECK conditions of each table, combined, with their number, and whether
// the login may read the table, because an agent can also run doctor. A superuser can write rows
// that violate constraints.
const constraints = `SELECT CAST(c.relname AS text), count(*), string_agg('(' || pg_get_expr(k.conbin, k.conrelid) || ')', ' AND ' ORDER BY k.conname), has_table_privilege(c.oid, 'SELECT')
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
	WHERE c.relnamespace = 'toolcrib'::regnamespace AND k.contype = 'c' AND k.convalidated GROUP BY c.oid, c.relname ORDER BY c.relname`

var (
	tableText = regexp.MustCompile(`(?ms)^CREATE TABLE (\w+) (.*?);$`)
	comment   = regexp.MustCompile(`(?m)--.*$`)
)

// checks reports tables with rows that violate CHECK constraints, or with fewer constraints than
// the migrations create, as SQLite's integrity check does.
func checks(ctx context.Context, c *engine.Conn, fn func(history.Damage)) error {
	want := clauses("CHECK (")
	conditions := map[string]string{}
	err := c.Each(ctx, constraints, nil, func(row engine.Scanner) error {
		var table, condition string
		var n int
		var readable bool
		err := row.Scan(&table, &n, &condition, &readable)
		if readable {
			conditions[table] = condition
		}
		if n == want[table] {
			delete(want, table)
		}
		return err
	})
	if err != nil {
		return err
	}
	for table := range want {
		fn(history.Damage{Table: "pg_class", Key: "table " + table, Message: "A CHECK constraint was dropped or added."})
	}
	for table, condition := range conditions {
		var broken bool
		if err := c.Row(ctx, fmt.Sprintf("SELECT EXISTS (SELECT 1 FROM %s WHERE NOT (%s))", table, condition), nil, &broken); err != nil {
			return err
		}
		if broken {
			fn(history.Damage{Table: "pg_class", Key: "table " + table, Message: "It has rows that its CHECK constraints exclude."})
		}
	}
	return nil
}

// clauses counts the occurrences of a clause in each table that the migrations create. It omits
// tables without the clause.
func clauses(clause string) map[string]int {
	found := map[string]int{}
	for _, step := range steps() {
		for _, m := range tableText.FindAllStringSubmatch(comment.ReplaceAllString(step.SQL, ""), -1) {
			if n := strings.Count(m[2], clause); n > 0 {
				found[m[1]] = n
			}
		}
	}
	return found
}

// references selects the foreign keys: both tables, the condition that a row references a row of
// the parent, and the condition that the key is set. A superuser can write rows that violate
// foreign keys.
const references = `SELECT CAST(c.relname AS text), CAST(p.relname AS text),
		string_agg('p.' || quote_ident(pa.attname) || ' = c.' || quote_ident(ca.attname), ' AND '),
		string_agg('c.' || quote_ident(ca.attname) || ' IS NOT NULL', ' AND '),
		has_table_privilege(k.conrelid, 'SELECT') AND has_table_privilege(k.confrelid, 'SELECT')
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
	CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (child, parent)
	JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = pair.child JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = pair.parent
	WHERE c.relnamespace = 'toolcrib'::regnamespace AND k.contype = 'f' AND k.convalidated GROUP BY k.oid, k.conrelid, k.confrelid, c.relname, p.relname ORDER BY c.relname, p.relname`

// danglingKeys reports tables with rows whose foreign key refers to a missing row, or with fewer
// foreign keys than the migrations create.
func danglingKeys(ctx context.Context, c *engine.Conn, fn func(history.Damage)) error {
	type key struct {
		table, parent, same, set string
		readable                 bool
	}
	var keys []key
	err := c.Each(ctx, references, nil, func(row engine.Scanner) error {
		var k key
		err := row.Scan(&k.table, &k.parent, &k.same, &k.set, &k.readable)
		keys = append(keys, k)
		return err
	})
	if err != nil {
		return err
	}
	missing := clauses("REFERENCES ")
	for _, k := range keys {
		missing[k.table]--
		if !k.readable {
			continue
		}
		var dangling bool
		query := fmt.Sprintf("SELECT EXISTS (SELECT 1 FROM %s c WHERE %s AND NOT EXISTS (SELECT 1 FROM %s p WHERE %s))", k.table, k.set, k.parent, k.same)
		if err := c.Row(ctx, query, nil, &dangling); err != nil {
			return err
		}
		if dangling {
			fn(history.Damage{Table: k.table, Message: "It has rows that point to a row of " + k.parent + " that does not exist."})
		}
	}
	for table, n := range missing {
		if n != 0 {
			fn(history.Damage{Table: "pg_class", Key: "table " + table, Message: "A foreign key was dropped or added."})
		}
	}
	return nil
}
