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

// Filter holds the words of a table so coarsely that it fits the cache: most words of a text are
// in no table, and need no other look.
type Filter [1 << 10]uint64

func slot(word string) int {
	return (int(word[0])*61+int(word[len(word)/2])*7+int(word[len(word)-1]))*37 + len(word)
}

// Add adds a word, which is not empty.
func (f *Filter) Add(word string) { f[slot(word)>>6&(len(f)-1)] |= 1 << (slot(word) & 63) }

// Has reports whether f may hold a word: false is certain.
func (f *Filter) Has(word string) bool {
	return word != "" && f[slot(word)>>6&(len(f)-1)]&(1<<(slot(word)&63)) != 0
}
