// This file parses embedded tables of names.

package fact

import "strings"

// Rows yields the first two columns of each row of an embedded table: a property, and the names
// that have this property. Each line is a row, and tabs separate the columns. The third column,
// which Rows does not yield, cites the source. A line that begins with "#" is a comment.
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

// Filter is a Bloom filter with a single hash function. It contains the words of a table, fits into
// the CPU cache, and rules out most words of a text without a map lookup.
type Filter [1 << 10]uint64

func slot(word string) int {
	return (int(word[0])*61+int(word[len(word)/2])*7+int(word[len(word)-1]))*37 + len(word)
}

// Add adds a word, which must not be empty.
func (f *Filter) Add(word string) { f[slot(word)>>6&(len(f)-1)] |= 1 << (slot(word) & 63) }

// Has reports whether f may contain word. It never returns false for a word that was added.
func (f *Filter) Has(word string) bool {
	if word == "" {
		return false
	}
	n := slot(word)
	return f[n>>6&(len(f)-1)]&(1<<(n&63)) != 0
}
