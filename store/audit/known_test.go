package audit_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/shortrun"
	"toolcrib/store/audit"
)

// TestConditions adds a table with a condition: rows that the engine lets in
// keep it, and one that got past the engine breaks it.
func TestConditions(t *testing.T) {
	shortrun.OneGoroutine(t)
	for condition, rows := range map[string]struct{ good, bad string }{
		"a IN ('x', 'y')":                   {"('x', '', 0), ('y', '', 0)", "('z', '', 0)"},
		"n IN (0, 1)":                       {"('', '', 0), ('', '', 1)", "('', '', 2)"},
		"length(a) = 3":                     {"('abc', '', 0)", "('abcd', '', 0)"},
		"n = 3":                             {"('', '', 3)", "('', '', 4)"},
		"n <> 3":                            {"('', '', -3)", "('', '', 3)"},
		"n > 0":                             {"('', '', 1), ('', '', 9223372036854775807)", "('', '', 0)"},
		"n >= 0":                            {"('', '', 0)", "('', '', -1)"},
		"a = 'x'":                           {"('x', '', 0)", "('X', '', 0)"},
		"a <> ''":                           {"('x', '', 0)", "('', '', 0)"},
		"a GLOB 'user:?*'":                  {"('user:a', '', 0)", "('user:', '', 0)"},
		"a GLOB 'user:*'":                   {"('user:', '', 0)", "('User:a', '', 0)"},
		"a = b || ':' || b || '/' || b":     {"('k:k/k', 'k', 0), (':/', '', 0)", "('k:k/k/k', 'k', 0)"},
		"(a = 'x') = (n > 0)":               {"('x', '', 1), ('y', '', 0)", "('y', '', 1)"},
		"n = (a = 'x')":                     {"('x', '', 1), ('y', '', 0)", "('x', '', 0)"},
		"a = 'x' OR n > 0":                  {"('x', '', 0), ('y', '', 1)", "('y', '', 0)"},
		"a = 'x' AND n > 0 OR b = 'a OR b'": {"('x', '', 1), ('', 'a OR b', 0)", "('x', '', 0)"},
		"a <> ') AND (' AND b <> '('":       {"('x', '', 0), (')', ' OR ', 1)", "('x', '(', 0)"},
		"a <> 'x AND y' AND length(b) = 0":  {"('x', '', 0)", "('x AND y', '', 0)"},
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			insert := "; INSERT INTO x (a, b, n) VALUES "
			table := "CREATE TABLE x (seq INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, n INTEGER NOT NULL, CHECK (" + condition + ")) STRICT"
			if _, err := audited(t, damage{lies: table + insert + rows.good}); err != nil {
				t.Errorf("%s: %v", rows.good, err)
			}
			_, err := audited(t, damage{lies: table, later: strings.TrimPrefix(insert, "; ") + rows.bad})
			if err == nil || !strings.Contains(err.Error(), "row 1 of x breaks a constraint") {
				t.Errorf("%s: %v", rows.bad, err)
			}
		})
	}
}

// TestLeftToTheEngine adds a table with something that is not known here: it is
// left to the engine, and never taken for sound.
func TestLeftToTheEngine(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, statement := range map[string]string{
		"a condition":            "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL CHECK (a LIKE 'b%')) STRICT",
		"one within another":     "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL CHECK (n > 1 OR a LIKE 'b%')) STRICT",
		"a number as a text":     "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL CHECK (n = '1')) STRICT",
		"a condition in capital": "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL check (a = 'b')) STRICT",
		"a comment":              "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL /* CHECK (a = 'b') */) STRICT",
		"types that may differ":  "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL)",
		"numbers with a point":   "CREATE TABLE x (n INTEGER PRIMARY KEY, a REAL NOT NULL) STRICT",
		"values that may lack":   "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT) STRICT",
		"a number of the row":    "CREATE TABLE x (a TEXT NOT NULL) STRICT",
		"a computed column":      "CREATE TABLE x (n INTEGER PRIMARY KEY, a INTEGER GENERATED ALWAYS AS (n + 1) VIRTUAL) STRICT",
		"an index from the end":  "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL) STRICT; CREATE INDEX y ON x (a DESC)",
		"an order of its own":    "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL) STRICT; CREATE INDEX y ON x (a COLLATE NOCASE)",
		"an expression":          "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL) STRICT; CREATE INDEX y ON x (upper(a))",
		"a part of the rows":     "CREATE TABLE x (n INTEGER PRIMARY KEY, a TEXT NOT NULL) STRICT; CREATE INDEX y ON x (a) WHERE a LIKE 'b%'",
		"a virtual table":        "CREATE VIRTUAL TABLE x USING fts5 (a)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, tables := telling(t, damage{later: statement})
			left := audit.New(tables, seals()).Left()
			if !slices.Contains(left, "x") || slices.Contains(left, "proposals") {
				t.Errorf("left to the engine: %q", left)
			}
		})
	}
}

// TestIndexExpressions has the engine write entries of what is computed: they
// are made here as they stand there.
func TestIndexExpressions(t *testing.T) {
	shortrun.OneGoroutine(t)
	definitions := map[string]string{
		"no provider":              `{"id":"x"}`,
		"one without a name":       `{"provider":{"type":"http"}}`,
		"a name":                   `{"provider":{"name":"wire","type":"mcp"}}`,
		"an empty name":            `{"provider":{"name":""}}`,
		"a name with escapes":      `{"provider":{"name":"a\u0062\"c\n"}}`,
		"a name far below":         `{"provider":{"of":{"name":"x"}}}`,
		"another provider of that": `{"a":{"provider":{"name":"x"}},"id":"provider"}`,
		"the word in a text":       `{"description":"a \"provider\" of {braces}","id":"x"}`,
	}
	for name, definition := range definitions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := audited(t, damage{lies: "UPDATE versions SET definition = '" + definition + "' WHERE seq = 1"})
			if err != nil {
				t.Errorf("%s: %v", definition, err)
			}
		})
	}
	for _, author := range []string{"user:a", "agent:", "user:a:b"} {
		_, err := audited(t, damage{lies: "UPDATE proposals SET author = '" + author + "' WHERE seq = 2; UPDATE revisions SET author = '" + author + "' WHERE seq = 2"})
		if err != nil {
			t.Errorf("author %s: %v", author, err)
		}
	}
	for at, counts := range map[string]string{"": "findings = 0", "2026-11-22T10": "findings = 2000000, blocks = 20000, worst = 'warn'"} {
		_, err := audited(t, damage{lies: "UPDATE events SET at = '" + at + "' WHERE seq = 29; UPDATE proposals SET " + counts + " WHERE seq = 7"})
		if err != nil && !strings.Contains(err.Error(), "the assessment") { // which is looked at after the indexes
			t.Errorf("%s, %s: %v", at, counts, err)
		}
	}
}

// TestDefinitionsThatAreNotRead gives a definition in a form that none is stored
// in: it is not called sound.
func TestDefinitionsThatAreNotRead(t *testing.T) {
	shortrun.OneGoroutine(t)
	for definition, says := range map[string]string{
		`[]`:                              "an object does not begin as one",
		`{"id":"helper","name":"Helper"`:  "an object does not end as one",
		`{"name":"Helper","id":"helper"}`: "keys are out of order",
		`{"name":"Helper","name":"x"}`:    "keys are out of order, or twice there",
		`{"n\u0061me":"Helper"}`:          "a key is not read here",
		`{"name" "Helper"}`:               "a key has no value",
		`{"name":}`:                       "a value does not end",
		`{"name":["Helper"}`:              "a text is expected",
		`{"name":"Helper}`:                "a value does not end",
		`{"name":1}`:                      "a text is expected",
		`{"name":"Helper\x"}`:             "a text is none",
		`{"aliases":{},"name":"Helper"}`:  "a list does not begin as one",
		`{"aliases":[1],"name":"Helper"}`: "a text is expected",
		`{"approval":[],"name":"Helper"}`: "an object does not begin as one",
		`{"name":"Helper","status":null}`: "a text is expected",
	} {
		_, err := audited(t, damage{lies: "UPDATE versions SET definition = '" + definition + "' WHERE seq = 3"})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; it should say that %s", definition, err, says)
		}
	}
}
