package store

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minIndexed is the length in characters from which the trigram index finds a
// substring; shorter ones are looked for row by row, which a page of matches
// soon ends because what is that short stands almost everywhere.
const minIndexed = 3

// filter returns the condition, on a proposal p, that words stand in what lists
// show of it, in any case, with its arguments.
func filter(words string) (condition string, args []any) {
	switch n := utf8.RuneCountInString(words); {
	case !utf8.ValidString(words), strings.ContainsRune(words, 0):
		return "false", nil // no text has them, and the index would stumble over them
	case n >= minIndexed:
		return "p.seq IN (SELECT rowid FROM proposals_text WHERE proposals_text MATCH ?)", []any{quoteFTS(words)}
	}
	const shown = "lower(p.subject || char(10) || p.title || char(10) || p.author || char(10) || p.change_set)"
	var conditions []string
	for _, spelling := range spellings(words) {
		conditions, args = append(conditions, "instr("+shown+", ?) > 0"), append(args, spelling)
	}
	return "(" + strings.Join(conditions, " OR ") + ")", args
}

// quoteFTS makes any text one phrase of an FTS5 query.
func quoteFTS(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// spellings returns words in every case that their letters have, those of
// ASCII in lower case only: the engine folds no others.
func spellings(words string) []string {
	all := []string{""}
	for _, r := range words {
		var longer []string
		for _, c := range cases(r) {
			for _, beginning := range all {
				longer = append(longer, beginning+string(c))
			}
		}
		all = longer
	}
	return all
}

func cases(r rune) []rune {
	var all []rune
	for c := unicode.SimpleFold(r); ; c = unicode.SimpleFold(c) {
		if c < 'A' || c > 'Z' {
			all = append(all, c)
		}
		if c == r {
			return all
		}
	}
}
