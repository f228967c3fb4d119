package transfer

import (
	"fmt"
	"strings"
)

// quoted returns names as a list of identifiers. "user" is a word of SQL.
func quoted(names []string) string {
	return `"` + strings.Join(names, `", "`) + `"`
}

// selectRows returns the query for the rows of a table behind a key, in the order of
// their keys, with the key's columns as its parameters; all rows without after.
func (t table) selectRows(from string, columns []string, after bool) string {
	where := ""
	if after {
		marks := make([]string, len(t.key))
		for i := range marks {
			marks[i] = fmt.Sprintf("$%d", i+1)
		}
		where = " WHERE (" + quoted(t.key) + ") > (" + strings.Join(marks, ", ") + ")"
	}
	return "SELECT " + quoted(columns) + " FROM " + from + where + " ORDER BY " + quoted(t.key)
}

// selectLast returns the query for the greatest key of a table.
func (t table) selectLast() string {
	return "SELECT " + quoted(t.key) + " FROM " + t.name + " ORDER BY " + strings.Join(strings.Split(quoted(t.key), ", "), " DESC, ") + " DESC LIMIT 1"
}

// insertRow returns the statement that adds a row.
func (t table) insertRow(columns []string) string {
	marks := make([]string, len(columns))
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	return "INSERT INTO " + t.name + " (" + quoted(columns) + ") VALUES (" + strings.Join(marks, ", ") + ")"
}
