// This file finds differences between the structure of a database and the structure that the
// migrations create.

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
	// The server reformats definitions. The normalizer replaces notations that the server
	// changes, and addedWords lists words that the server adds.
	normalizer = strings.NewReplacer(" NOT IN ", " <> ALL ", "toolcrib.", "")
	addedWords = []string{"in", "any", "array", "using", "btree", "text", "::text", "true", "null"}
)

// words returns the normalized words of a statement in alphabetical order. The result is the same
// for a statement in a migration and for the server's version of the statement.
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

// constraints selects the number of CHECK constraints of each table, their combined condition,
// and whether the login can read the table. The login of an agent can run the doctor command but
// cannot read all tables. The check is useful because a superuser can write rows that violate
// constraints.
const constraints = `SELECT CAST(c.relname AS text), count(*), string_agg('(' || pg_get_expr(k.conbin, k.conrelid) || ')', ' AND ' ORDER BY k.conname), has_table_privilege(c.oid, 'SELECT')
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
	WHERE c.relnamespace = 'toolcrib'::regnamespace AND k.contype = 'c' AND k.convalidated GROUP BY c.oid, c.relname ORDER BY c.relname`

var (
	tableText = regexp.MustCompile(`(?ms)^CREATE TABLE (\w+) (.*?);$`)
	comment   = regexp.MustCompile(`(?m)--.*$`)
)

// checks reports tables with rows that violate their CHECK constraints. It also reports tables if
// the number of their CHECK constraints differs from the migrations. In SQLite files, the
// integrity check detects violated constraints.
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
			fn(history.Damage{Table: "pg_class", Key: "table " + table, Message: "Some rows violate a CHECK constraint of the table."})
		}
	}
	return nil
}

// clauses counts the occurrences of clause in the definition of each table that the migrations
// create. The result does not contain tables without the clause.
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

// references selects the foreign keys. The columns are the child table, the parent table, the
// condition that a child row c references a parent row p, the condition that the key is not NULL,
// and whether the login can read both tables. The check is useful because a superuser can write
// rows that violate foreign keys.
const references = `SELECT CAST(c.relname AS text), CAST(p.relname AS text),
		string_agg('p.' || quote_ident(pa.attname) || ' = c.' || quote_ident(ca.attname), ' AND '),
		string_agg('c.' || quote_ident(ca.attname) || ' IS NOT NULL', ' AND '),
		has_table_privilege(k.conrelid, 'SELECT') AND has_table_privilege(k.confrelid, 'SELECT')
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
	CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (child, parent)
	JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = pair.child JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = pair.parent
	WHERE c.relnamespace = 'toolcrib'::regnamespace AND k.contype = 'f' AND k.convalidated GROUP BY k.oid, k.conrelid, k.confrelid, c.relname, p.relname ORDER BY c.relname, p.relname`

// danglingKeys reports tables with foreign keys that refer to missing rows. It also reports tables
// if the number of their foreign keys differs from the migrations.
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
			fn(history.Damage{Table: k.table, Message: "Some rows refer to missing rows of " + k.parent + "."})
		}
	}
	for table, n := range missing {
		if n != 0 {
			fn(history.Damage{Table: "pg_class", Key: "table " + table, Message: "A foreign key was dropped or added."})
		}
	}
	return nil
}
