package store

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minIndexed is the length in characters from which the trigram index finds a
// substring by itself.
const minIndexed = 3

// few is how many proposals are looked through row by row rather than by an
// index of texts, which has those of all proposals.
const few = 2_000

// maxSpellings bounds the ways to write words that are looked for row by row.
const maxSpellings = 16

// filter narrows a selection to proposals of which lists show words, in any
// case as far as the engine knows it. Each way it takes looks at no more than a
// few thousand rows, or finds so many that a page is soon full.
func (s *session) filter(ctx context.Context, sel *selection, words string) error {
	if !utf8.ValidString(words) || strings.ContainsRune(words, 0) {
		sel.add("false") // no text has them, and the index would stumble over them
		return nil
	}
	short := utf8.RuneCountInString(words) < minIndexed
	byRow := short
	if len(sel.where) > 0 && countSpellings(words) <= maxSpellings {
		n, err := s.countFew(ctx, sel.query("1"), sel.args)
		if err != nil {
			return err
		}
		byRow = byRow || n <= few
		short = short && n > few
	}
	if !byRow {
		sel.from, sel.seq = "proposals_text t CROSS JOIN proposals p ON p.seq = t.rowid", "t.rowid"
		sel.add("proposals_text MATCH ?", quoteFTS(words))
		return nil
	}
	if short {
		if err := s.begins(ctx, sel, words); err != nil {
			return err
		}
	}
	sel.eachRow(words)
	return nil
}

// eachRow narrows a selection by looking at each row of it.
func (s *selection) eachRow(words string) {
	const shown = "lower(p.subject || char(10) || p.title || char(10) || p.author || char(10) || p.change_set)"
	var conditions []string
	var args []any
	for _, spelling := range spellings(words) {
		conditions, args = append(conditions, "instr("+shown+", ?) > 0"), append(args, spelling)
	}
	s.add("("+strings.Join(conditions, " OR ")+")", args...)
}

// begins narrows a selection to the proposals with trigrams that begin with
// words: to a list of them if they are few, to what the index has for those
// trigrams if there are few of these. Otherwise so many texts have the words that
// looking at each row soon fills a page.
func (s *session) begins(ctx context.Context, sel *selection, words string) error {
	var queries []string
	var args []any
	for _, spelling := range spellings(words) {
		queries = append(queries, "SELECT doc FROM proposals_terms WHERE term >= ? AND term <= ?")
		args = append(args, spelling, afterAll(spelling))
	}
	query := strings.Join(queries, " UNION ALL ")
	n, err := s.countFew(ctx, query, args)
	if err != nil {
		return err
	}
	if n <= few {
		sel.add("p.seq IN ("+query+")", args...)
		return nil
	}
	trigrams, err := s.trigrams(ctx, words)
	if err == nil && len(trigrams) > 0 {
		sel.from, sel.seq = "proposals_text t CROSS JOIN proposals p ON p.seq = t.rowid", "t.rowid"
		sel.add("proposals_text MATCH ?", strings.Join(trigrams, " OR "))
	}
	return err
}

// maxTrigrams is how many trigrams are looked for at once: the index is entered
// for each of them.
const maxTrigrams = 32

// trigrams returns the trigrams of the index that begin with words, as phrases,
// and none when they are too many. Each is found by itself, behind the one
// before: the engine lists them with all places that have them.
func (s *session) trigrams(ctx context.Context, words string) ([]string, error) {
	var found []string
	for _, spelling := range spellings(words) {
		for from := spelling; ; {
			next, err := all(ctx, s, scanString, "SELECT term FROM proposals_terms WHERE term >= ? AND term <= ? LIMIT 1", from, afterAll(spelling))
			if err != nil {
				return nil, err
			}
			if len(next) == 0 {
				break
			}
			if len(found) == maxTrigrams || strings.ContainsRune(next[0], 0) {
				return nil, nil
			}
			found = append(found, quoteFTS(next[0]))
			from = next[0] + "\x01"
		}
	}
	return found, nil
}

// afterAll returns what comes after every trigram that begins with words.
func afterAll(words string) string {
	return words + strings.Repeat(string(unicode.MaxRune), minIndexed)
}

// countFew counts the rows of a query, at most one more than a few.
func (s *session) countFew(ctx context.Context, query string, args []any) (n int, err error) {
	err = s.row(ctx, "SELECT count(*) FROM ("+query+" LIMIT ?)", append(slices.Clone(args), few+1), &n)
	return n, err
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

// countSpellings returns how many there are.
func countSpellings(words string) int {
	n := 1
	for _, r := range words {
		if n *= len(cases(r)); n > maxSpellings {
			break
		}
	}
	return n
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
