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

// written are the statements of the migrations whose words the server repeats: of
// triggers and of indexes.
var written = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?(TRIGGER|INDEX) (\w+) (?:'[^']*'|[^;'])*;`)

// source finds the functions of the migrations: name and body.
var source = regexp.MustCompile(`(?ms)^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?\bAS (?:\$\$(.*?)\$\$|'(.*?)');`)

// definitions returns the triggers, indexes, and functions that the migrations define, by name.
func definitions() (map[string]string, error) {
	all, err := steps()
	known := map[string]string{}
	for _, step := range all {
		for _, m := range written.FindAllStringSubmatch(step.SQL, -1) {
			known[strings.ToLower(m[1])+" "+m[2]] = words(m[0])
		}
		for _, m := range source.FindAllStringSubmatch(step.SQL, -1) {
			known["function "+m[1]] = m[2] + m[3]
		}
	}
	return known, err
}

// defined reads the definitions as the server prints them: the text of a function unchanged, and triggers and indexes
// from its catalog.
const defined = `SELECT 'trigger ' || t.tgname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE c.relnamespace = 'toolcrib'::regnamespace AND NOT t.tgisinternal
	UNION ALL SELECT 'index ' || c.relname, pg_get_indexdef(c.oid) FROM pg_class c WHERE c.relnamespace = 'toolcrib'::regnamespace AND c.relkind = 'i'
	UNION ALL SELECT 'function ' || p.proname, p.prosrc FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
		WHERE p.pronamespace = 'toolcrib'::regnamespace AND l.lanname IN ('sql', 'plpgsql')
	ORDER BY 1`

var (
	word = regexp.MustCompile(`'(?:[^']|'')*'|[\w:]+|<>|>=|<=|<|>`)
	// respelt are forms that the server writes in another way, or adds.
	respelt = strings.NewReplacer(" NOT IN ", " <> ALL ", "toolcrib.", "")
	added   = []string{"in", "any", "array", "using", "btree", "text", "::text", "true", "null"}
)

// words returns the words of a statement in alphabetical order, without the
// spelling in which the server differs from the source.
func words(statement string) string {
	var all []string
	for _, w := range word.FindAllString(respelt.Replace(statement), -1) {
		if !strings.HasPrefix(w, "'") {
			w = strings.ToLower(w)
		}
		if !strings.HasPrefix(w, "::") && !slices.Contains(added, w) {
			all = append(all, w)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// drift reports triggers, indexes and functions that are not as the migrations made
// them, and functions that are not part of the schema.
func drift(ctx context.Context, c *engine.Conn, fn func(history.Damage)) error {
	known, err := definitions()
	if err != nil {
		return err
	}
	return c.Each(ctx, defined, nil, func(row engine.Scanner) error {
		var name, definition string
		if err := row.Scan(&name, &definition); err != nil {
			return err
		}
		want, ok := known[name]
		isFunction := strings.HasPrefix(name, "function ")
		switch {
		case !ok && isFunction:
			fn(history.Damage{Table: "pg_class", Key: name, Message: "It is not part of the schema."})
		case ok && isFunction && definition != want, ok && !isFunction && words(definition) != want:
			fn(history.Damage{Table: "pg_class", Key: name, Message: "It differs from the definition in the schema."})
		}
		return nil
	})
}

// constraints are the conditions of CHECK constraints, together for each table, with
// how many there are, and whether the login may read the rows: doctor runs as an agent,
// too. A superuser writes rows past them.
const constraints = `SELECT CAST(c.relname AS text), count(*), string_agg('(' || pg_get_expr(k.conbin, k.conrelid) || ')', ' AND ' ORDER BY k.conname), has_table_privilege(c.oid, 'SELECT')
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
	WHERE c.relnamespace = 'toolcrib'::regnamespace AND k.contype = 'c' AND k.convalidated GROUP BY c.oid, c.relname ORDER BY c.relname`

var (
	tableText = regexp.MustCompile(`(?ms)^CREATE TABLE (\w+) (.*?);$`)
	comment   = regexp.MustCompile(`(?m)--.*$`)
)

// checks reports tables that have rows past their CHECK constraints, or fewer of
// these than the migrations made, as the integrity check of SQLite does.
func checks(ctx context.Context, c *engine.Conn, fn func(history.Damage)) error {
	all, err := steps()
	if err != nil {
		return err
	}
	want := clauses(all, "CHECK (")
	conditions := map[string]string{}
	err = c.Each(ctx, constraints, nil, func(row engine.Scanner) error {
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

// clauses counts the occurrences of a clause in each table that the migrations create, and omits tables without it.
func clauses(all []engine.Step, clause string) map[string]int {
	found := map[string]int{}
	for _, step := range all {
		for _, m := range tableText.FindAllStringSubmatch(comment.ReplaceAllString(step.SQL, ""), -1) {
			if n := strings.Count(m[2], clause); n > 0 {
				found[m[1]] = n
			}
		}
	}
	return found
}

// references are the foreign keys: the two tables, the condition that a row refers to
// another, and the condition that it refers to any. A superuser writes rows past them.
const references = `SELECT CAST(c.relname AS text), CAST(p.relname AS text),
		string_agg('p.' || quote_ident(pa.attname) || ' = c.' || quote_ident(ca.attname), ' AND '),
		string_agg('c.' || quote_ident(ca.attname) || ' IS NOT NULL', ' AND '),
		has_table_privilege(k.conrelid, 'SELECT') AND has_table_privilege(k.confrelid, 'SELECT')
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
	CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (child, parent)
	JOIN pg_attribute ca ON ca.attrelid = k.conrelid AND ca.attnum = pair.child JOIN pg_attribute pa ON pa.attrelid = k.confrelid AND pa.attnum = pair.parent
	WHERE c.relnamespace = 'toolcrib'::regnamespace AND k.contype = 'f' AND k.convalidated GROUP BY k.oid, k.conrelid, k.confrelid, c.relname, p.relname ORDER BY c.relname, p.relname`

// danglingKeys reports tables with rows whose foreign key names a missing row, or with
// fewer foreign keys than the migrations made.
func danglingKeys(ctx context.Context, c *engine.Conn, fn func(history.Damage)) error {
	all, err := steps()
	if err != nil {
		return err
	}
	type key struct {
		table, parent, same, set string
		readable                 bool
	}
	var keys []key
	err = c.Each(ctx, references, nil, func(row engine.Scanner) error {
		var k key
		err := row.Scan(&k.table, &k.parent, &k.same, &k.set, &k.readable)
		keys = append(keys, k)
		return err
	})
	if err != nil {
		return err
	}
	missing := clauses(all, "REFERENCES ")
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
			fn(history.Damage{Table: k.table, Message: "It has rows that point to a row of " + k.parent + " that is not there."})
		}
	}
	for table, n := range missing {
		if n != 0 {
			fn(history.Damage{Table: "pg_class", Key: "table " + table, Message: "A foreign key was dropped or added."})
		}
	}
	return nil
}
