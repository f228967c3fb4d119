// This file implements the search for memories, with its index terms and its ranking.

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

// Limits of a search for memories. Its cost does not depend on the number of memories: a word that occurs in more
// than maxHits memories finds the newest of them, the most important, and those of the conversation's project.
const (
	maxQuery      = 500 // characters
	maxQueryWords = 12
	maxHits       = 400 // memories to consider per word
	maxFavoured   = 50
	maxRanked     = 100 // memories to read and compare
	maxNeighbours = 5   // linked memories to follow per match
)

type foundMemory struct {
	Memory Memory  `json:"memory"`
	Score  float64 `json:"score"`
}

// search is one search for memories.
type search struct {
	r       Reader
	query   []queryWord
	filter  MemoryFilter
	current string // the conversation's project
	now     time.Time
	weight  map[int64]float64 // weights of found memories by key
}

// queryWord is a word of the query and its weight. Rarer words weigh more.
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
		if len(s.query) > maxQueryWords { // keep the longest
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

// addMatches looks up the words and adds their weights to the memories that contain them. If some words are common, it
// also searches for memories with all of these, for important memories, and for those of the current project, because
// these may not be among the newest.
func (s *search) addMatches(ctx context.Context) error {
	all, err := s.r.MatchMemories(ctx, nil, MemoryFilter{}, maxHits)
	if err != nil {
		return err
	}
	var common []string // words that occur in more than maxHits memories
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
		s.add(hits, 2*bonus) // ranks before memories that are merely new
	}
	return nil
}

func (s *search) add(keys []int64, weight float64) {
	for _, k := range keys {
		s.weight[k] += weight
	}
}

// Weights of words that occur only in the scope of a memory, and of words that no memory contains and that therefore
// distinguish none.
const (
	inScope = 0.9
	nowhere = 0.5
)

// score returns how well a memory matches, from 0 to 1: by its words, weighted by rarity, then by its importance, its
// age, and whether it belongs to the conversation's project.
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

// led is the share of a match's score that a linked memory receives.
const led = 0.4

// addLinked adds the memories that are linked to the best matches.
func (s *search) addLinked(ctx context.Context, found []foundMemory) ([]foundMemory, error) {
	scores := map[string]float64{}
	for _, f := range found[:min(len(found), defaultFound)] {
		ids, err := s.r.Neighbours(ctx, f.Memory.ID, maxNeighbours)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			scores[id] = max(scores[id], f.Score*led)
		}
	}
	for _, f := range found {
		delete(scores, f.Memory.ID)
	}
	more, err := s.r.MemoriesByID(ctx, slices.Collect(maps.Keys(scores)))
	if err != nil {
		return nil, err
	}
	for _, m := range more {
		if (s.filter.Kind == "" || m.Kind == s.filter.Kind) && (s.filter.Project == "" || NameKey(m.Project) == NameKey(s.filter.Project)) {
			found = append(found, foundMemory{m, scores[m.ID]})
		}
	}
	return found, nil
}

// NameKey returns a key for comparing names. It ignores case and the amount of white space.
func NameKey(name string) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(name), " ")))
}

// fold normalizes a word for comparison. It removes case, accents, and differences between forms of a letter.
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

// omitted contains the marks that people omit: accents, vowel points, and voicing marks of kana. Marks of scripts
// such as Devanagari are letters.
var omitted = &unicode.RangeTable{R16: []unicode.Range16{{0x0300, 0x036f, 1}, {0x0591, 0x05c7, 1}, {0x064b, 0x065f, 1}, {0x3099, 0x309a, 1}}}

// maxWord is the maximum length of a word, in characters; the rest is ignored.
const maxWord = 40

// words returns the folded words of a text in order. For scripts without spaces, it returns overlapping pairs of
// letters.
func words(s string) []string {
	var out []string
	var word []rune
	var run []rune  // letters of a script without spaces
	elided := false // the word follows an apostrophe
	flush := func() {
		if len(word) > 1 || len(word) == 1 && !elided { // a single letter is an ending: Anna's
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

// Lengths of prefixes that represent other forms of a word.
const (
	stemLength      = 5
	shortStemLength = 4 // of words that are only slightly longer
	shortWord       = 6
)

// stems returns the prefixes that a word shares with its other forms, or nil for a word of three letters. This works
// for all languages that inflect words by endings.
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

// Terms are words and other search keys. Each kind has its own prefix, a character
// that does not occur in words.
const (
	wordMark = ":"
	stemMark = "~"
	gramMark = "^"
)

// textTerms returns the search terms of texts: their words and stems, without duplicates.
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

// grams returns the trigrams of the words in a name, including word boundaries, without duplicates. Similar spellings
// share most of them.
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

// Weights of words that are found in another form.
const (
	otherForm = 0.6
	sameStem  = 0.3
)

// bestMatch rates how well a word matches a list of words.
func bestMatch(word string, among []string) float64 {
	best := 0.0
	for _, w := range among {
		if w == word {
			return 1
		}
		best = max(best, formSimilarity(word, w))
	}
	return best
}

// formSimilarity returns how likely two words are forms of the same word, judging by a common prefix and short endings.
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
