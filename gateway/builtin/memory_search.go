// This file searches for memories. It computes the index terms and ranks the results.

package builtin

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"toolcrib/internal/folding"
)

// Limits of a search for memories. They make the cost of a search independent of the number of memories. If a word
// occurs in more than maxHits memories, the search considers only the newest of these, the most important, and those in
// the conversation's project.
const (
	maxQuery      = 500 // characters
	maxQueryWords = 12
	maxHits       = 400 // maximum number of memories to consider for each word
	maxFavoured   = 50
	maxRanked     = 100 // maximum number of memories to read and score
	maxNeighbours = 5   // maximum number of links to follow from a match
)

type foundMemory struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"`
}

// search is the state of a search for memories.
type search struct {
	r       Reader
	query   []queryWord
	filter  MemoryFilter
	current string // the conversation's project
	now     time.Time
	weight  map[int64]float64 // weights of the memories found so far, by their keys
}

// queryWord is a word of the query and its weight. Rare words have larger weights.
type queryWord struct {
	word   string
	rarity float64
}

func searchMemories(ctx context.Context, c call) (any, error) {
	in := struct {
		Query   string  `json:"query"`
		Kind    string  `json:"kind"`
		Project *string `json:"project"`
		Limit   *int    `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	query := ps.text("query", in.Query, maxQuery)
	f := MemoryFilter{Kind: ps.kind(in.Kind, ""), Project: ps.projectFilter(in.Project)}
	limit := ps.between("limit", in.Limit, defaultFound, maxFound)
	var found []foundMemory
	err := c.read(ctx, ps, func(r Reader) error {
		current, err := r.Project(ctx, c.agent())
		if err != nil {
			return err
		}
		s := &search{r: r, filter: f, current: current, now: c.At, weight: map[int64]float64{}}
		for _, w := range words(query) {
			if !slices.ContainsFunc(s.query, func(q queryWord) bool { return q.word == w }) {
				s.query = append(s.query, queryWord{word: w})
			}
		}
		if len(s.query) > maxQueryWords { // keep the longest words
			slices.SortStableFunc(s.query, func(a, b queryWord) int { return cmp.Compare(len(b.word), len(a.word)) })
			s.query = s.query[:maxQueryWords]
		}
		if err := s.addMatches(ctx); err != nil {
			return err
		}
		memories, err := r.MemoriesByKey(ctx, heaviest(s.weight, maxRanked))
		if err != nil {
			return err
		}
		found = nil // the transaction may be retried
		for _, m := range memories {
			if score := s.score(m); score > 0 {
				found = append(found, foundMemory{m, score})
			}
		}
		byScore(found)
		if found, err = s.addLinked(ctx, found); err != nil {
			return err
		}
		byScore(found)
		for i := range found {
			found[i].Score = round(found[i].Score)
		}
		return nil
	})
	found, _ = cut(found, limit)
	return struct {
		Memories []foundMemory `json:"memories"`
	}{listed(found)}, err
}

func byScore(found []foundMemory) {
	slices.SortFunc(found, func(a, b foundMemory) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Memory.Updated.Compare(a.Memory.Updated), cmp.Compare(a.Memory.ID, b.Memory.ID))
	})
}

// addMatches adds the weight of each word of the query to the memories that contain the word. A lookup returns at most
// maxHits memories, the newest first. A word with this number of results is common, and older memories with the word
// are missing. addMatches therefore also looks up the memories that contain all common words: the newest, the most
// important, and those in the current project.
func (s *search) addMatches(ctx context.Context) error {
	all, err := s.r.MatchMemories(ctx, nil, MemoryFilter{}, maxHits)
	if err != nil {
		return err
	}
	var common []string // words for which a lookup returned maxHits memories
	for i, q := range s.query {
		hits, err := s.r.MatchMemories(ctx, []string{wordMark + q.word}, s.filter, maxHits)
		if err != nil {
			return err
		}
		if len(hits) >= maxHits {
			common = append(common, wordMark+q.word)
		}
		rarity, found := math.Log(1+float64(len(all)+1)/float64(len(hits)+1)), len(hits) > 0
		s.add(hits, rarity)
		for _, st := range stems(q.word) {
			if len(hits) >= maxHits {
				break
			}
			if hits, err = s.r.MatchMemories(ctx, []string{stemMark + st}, s.filter, maxHits); err != nil {
				return err
			}
			s.add(hits, rarity*otherForm)
			found = found || len(hits) > 0
		}
		if !found {
			rarity *= nowhere
		}
		s.query[i].rarity = rarity
	}
	if len(common) == 0 {
		return nil
	}
	bonus := 0.0
	for _, q := range s.query {
		bonus += q.rarity
	}
	important, here := s.filter, s.filter
	important.Importance = maxImportance
	here.Project = s.current
	try := []MemoryFilter{important}
	if len(common) > 1 {
		try = append(try, s.filter)
	}
	if s.current != "" && s.filter.Project == "" {
		try = append(try, here)
	}
	for _, f := range try {
		hits, err := s.r.MatchMemories(ctx, common, f, maxFavoured)
		if err != nil {
			return err
		}
		s.add(hits, 2*bonus) // a larger weight than for a single word, which finds only new memories
	}
	return nil
}

func (s *search) add(keys []int64, weight float64) {
	for _, k := range keys {
		s.weight[k] += weight
	}
}

// Factors for the weights of words. inScope applies to words that occur only in the scope of a memory. nowhere applies
// to words that do not occur in any memory, which therefore do not help to rank memories.
const (
	inScope = 0.9
	nowhere = 0.5
)

// score returns the relevance of m to the query, from 0 to 1. The score depends mainly on the words that m and the
// query have in common, weighted by their rarity. It is larger for important memories, recently changed memories, and
// memories in the conversation's project.
func (s *search) score(m Memory) float64 {
	content, scope := words(m.Content), words(strings.Join(m.scope(), " "))
	sum, all := 0.0, 0.0
	for _, q := range s.query {
		all += q.rarity
		sum += q.rarity * max(bestMatch(q.word, content), inScope*bestMatch(q.word, scope))
	}
	if sum == 0 {
		return 0
	}
	age := max(s.now.Sub(m.Updated).Hours()/24, 0)
	favour := 0.70 + 0.15*float64(m.Importance-1)/(maxImportance-1) + 0.05/(1+age/90)
	if s.current != "" && m.Project == s.current {
		favour += 0.10
	}
	return sum / all * favour
}

// led is the fraction of a match's score that a linked memory receives.
const led = 0.4

// addLinked returns results followed by the memories that are linked to the best results.
func (s *search) addLinked(ctx context.Context, results []foundMemory) ([]foundMemory, error) {
	scores := map[string]float64{}
	for _, f := range results[:min(len(results), defaultFound)] {
		ids, err := s.r.Neighbours(ctx, f.Memory.ID, maxNeighbours)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			scores[id] = max(scores[id], f.Score*led)
		}
	}
	for _, f := range results {
		delete(scores, f.Memory.ID)
	}
	more, err := s.r.MemoriesByID(ctx, slices.Collect(maps.Keys(scores)))
	if err != nil {
		return nil, err
	}
	for _, m := range more {
		if (s.filter.Kind == "" || m.Kind == s.filter.Kind) && (s.filter.Project == "" || NameKey(m.Project) == NameKey(s.filter.Project)) {
			results = append(results, foundMemory{m, scores[m.ID]})
		}
	}
	return results, nil
}

// NameKey returns a key for comparing names. Names that differ only in case or in the amount of white space have the
// same key.
func NameKey(name string) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(name), " ")))
}

// fold normalizes a word for comparison. It converts letters to lower case, removes accents, and replaces compatibility
// forms of letters.
func fold(s string) string {
	var b strings.Builder
	for _, r := range s {
		for _, d := range folding.Decompose(r) {
			if !unicode.Is(omitted, d) {
				b.WriteRune(unicode.ToLower(d))
			}
		}
	}
	return b.String()
}

// omitted contains the combining marks that people often omit: accents, vowel points, and voicing marks of kana. In
// writing systems such as Devanagari, combining marks are essential parts of a word, so omitted does not contain them.
var omitted = &unicode.RangeTable{R16: []unicode.Range16{{0x0300, 0x036f, 1}, {0x0591, 0x05c7, 1}, {0x064b, 0x065f, 1}, {0x3099, 0x309a, 1}}}

// maxWord is the maximum length of a word, in characters. Longer words are truncated.
const maxWord = 40

// words returns the folded words of a text in order. In a writing system without spaces, each pair of adjacent letters
// is a word.
func words(s string) []string {
	var out []string
	var word []rune
	var run []rune  // adjacent letters of a writing system without spaces
	elided := false // whether word follows an apostrophe
	flush := func() {
		if len(word) > 1 || len(word) == 1 && !elided { // ignore a single letter after an apostrophe, as in Anna's
			out = append(out, string(word[:min(len(word), maxWord)]))
		}
		word, elided = word[:0], false
		for i := range run {
			if i+1 < len(run) {
				out = append(out, string(run[i:i+2]))
			} else if i == 0 {
				out = append(out, string(run))
			}
		}
		run = run[:0]
	}
	for _, r := range fold(s) {
		switch {
		case folding.Unspaced(r):
			if len(word) > 0 {
				flush()
			}
			run = append(run, r)
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
			if len(run) > 0 {
				flush()
			}
			word = append(word, r)
		case r == '\'' || r == '’':
			flush()
			elided = true
		default:
			flush()
		}
	}
	flush()
	return out
}

// Lengths of the prefixes that a search uses to find other forms of a word.
const (
	stemLength      = 5
	shortStemLength = 4 // for words of at most shortWord letters
	shortWord       = 6
)

// stems returns the prefixes that a word probably shares with its other forms. It returns nil for words of fewer than
// four letters. Prefixes work for all languages that inflect words by endings.
func stems(word string) []string {
	var out []string
	letters := []rune(word)
	if n := len(letters); n >= shortStemLength && n <= shortWord {
		out = append(out, string(letters[:shortStemLength]))
	}
	if len(letters) >= stemLength {
		out = append(out, string(letters[:stemLength]))
	}
	return out
}

// Prefixes of search terms. Each type of term has a different prefix. The prefixes do not occur in words.
const (
	wordMark = ":"
	stemMark = "~"
	gramMark = "^"
)

// textTerms returns the search terms of the given texts: all words and stems, without duplicates.
func textTerms(texts ...string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(term string) {
		if !seen[term] {
			seen[term] = true
			out = append(out, term)
		}
	}
	for _, text := range texts {
		for _, w := range words(text) {
			add(wordMark + w)
			for _, s := range stems(w) {
				add(stemMark + s)
			}
		}
	}
	return out
}

// grams returns the trigrams of the words in a name, without duplicates. Word boundaries are treated as characters.
// Similar spellings of a name share most trigrams.
func grams(name string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range words(name) {
		letters := []rune("_" + w + "_")
		for i := 0; i+3 <= len(letters); i++ {
			g := gramMark + string(letters[i:i+3])
			if !seen[g] {
				seen[g] = true
				out = append(out, g)
			}
		}
	}
	return out
}

// Factors for the weights of words that occur in another form.
const (
	otherForm = 0.6
	sameStem  = 0.3
)

// bestMatch returns the similarity, from 0 to 1, of word and the most similar word in candidates.
func bestMatch(word string, candidates []string) float64 {
	best := 0.0
	for _, w := range candidates {
		if w == word {
			return 1
		}
		best = max(best, formSimilarity(word, w))
	}
	return best
}

// formSimilarity returns a measure of the likelihood that two words are forms of the same word. The result is large for
// words that have a long common prefix and differ only in a short ending.
func formSimilarity(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	switch rest := max(len(x), len(y)) - same; {
	case same == min(len(x), len(y)) && same >= shortStemLength && rest <= shortWord-shortStemLength:
		return otherForm
	case same < stemLength:
		return 0
	case rest <= 3:
		return otherForm
	}
	return sameStem
}
