package fact

import "strings"

// Rows yields the columns of each row of an embedded table: what the names in it have in common,
// the names, and where they come from. Rows end with a line, columns with a tab, and "#" begins
// a comment.
func Rows(table string) func(yield func(what, names string) bool) {
	return func(yield func(what, names string) bool) {
		for line := range strings.Lines(table) {
			columns := strings.Split(line, "\t")
			if line[0] != '#' && len(columns) > 2 && !yield(columns[0], columns[1]) {
				return
			}
		}
	}
}
