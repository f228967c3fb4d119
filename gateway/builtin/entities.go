package builtin

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

type docEntity struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Aliases  []string `json:"aliases,omitempty"`
	Memories int      `json:"memories"`
}

func (e Entity) doc() docEntity { return docEntity(e) }

type entitiesOut struct {
	Entities []docEntity  `json:"entities"`
	Memories *[]docMemory `json:"memories,omitempty"`
	More     bool         `json:"more"`
}

func getEntities(ctx context.Context, c call) (any, error) {
	in := struct {
		ID      *string `json:"id"`
		Type    string  `json:"type"`
		Project *string `json:"project"`
		Limit   *int    `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	f := EntityFilter{Type: ps.entityType("type", in.Type, ""), Project: ps.projectFilter(in.Project)}
	limit := ps.between("limit", in.Limit, defaultLimit, maxLimit)
	ps.idFilter(in.ID)
	if err := ps.err(); err != nil {
		return nil, err
	}
	var out entitiesOut
	err := c.read(ctx, func(r Reader) error {
		if in.ID == nil {
			found, err := r.Entities(ctx, f, limit+1)
			found, out.More = cut(found, limit)
			out.Entities = docs(found, Entity.doc)
			return err
		}
		found, err := r.EntitiesByID(ctx, []string{*in.ID})
		out.Entities = docs(found, Entity.doc)
		if err != nil || len(found) == 0 {
			return err
		}
		about, err := r.MemoriesOf(ctx, *in.ID, limit+1)
		about, out.More = cut(about, limit)
		list := docs(about, Memory.doc)
		out.Memories = &list
		return err
	})
	return out, err
}

// Limits of a search for entities.
const (
	maxQueryGrams  = 24  // trigrams, from the longest words first
	maxGramHits    = 300 // entities to consider per trigram
	maxEntityRanks = 100 // entities to compare with the query by letters
	maxFound       = 50
	defaultFound   = 10
	leastLikeness  = 0.45 // names below this similarity do not match
)

type foundEntity struct {
	Entity docEntity `json:"entity"`
	Score  float64   `json:"score"`

	memories int
}

func searchEntities(ctx context.Context, c call) (any, error) {
	in := struct {
		Query string `json:"query"`
		Type  string `json:"type"`
		Limit *int   `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	query := ps.text("query", in.Query, maxEntityName)
	kind := ps.entityType("type", in.Type, "")
	limit := ps.between("limit", in.Limit, defaultFound, maxFound)
	if err := ps.err(); err != nil {
		return nil, err
	}
	found := []foundEntity{}
	err := c.read(ctx, func(r Reader) error {
		candidates, err := candidateEntities(ctx, r, query, kind)
		if err != nil {
			return err
		}
		found = found[:0] // the transaction may be retried
		for _, e := range candidates {
			if score := e.likeness(query); score >= leastLikeness {
				found = append(found, foundEntity{Entity: e.doc(), Score: round(score), memories: e.Memories})
			}
		}
		return nil
	})
	slices.SortFunc(found, func(a, b foundEntity) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.memories, a.memories), cmp.Compare(a.Entity.ID, b.Entity.ID))
	})
	found, _ = cut(found, limit)
	return struct {
		Entities []foundEntity `json:"entities"`
	}{found}, err
}

// candidateEntities returns entities that may match a query: those with this name,
// and those that share the most and rarest trigrams.
func candidateEntities(ctx context.Context, r Reader, query, kind string) ([]Entity, error) {
	found, err := r.EntitiesByName(ctx, EntityKey(query))
	if err != nil {
		return nil, err
	}
	terms := textTerms(query)
	letters := grams(query)
	terms = append(terms, letters[:min(len(letters), maxQueryGrams)]...)
	weight := map[int64]float64{}
	for _, term := range terms[:min(len(terms), 2*maxQueryGrams)] {
		if strings.HasPrefix(term, stemMark) {
			continue
		}
		keys, err := r.MatchEntities(ctx, term, kind, maxGramHits)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			weight[k] += 1 / math.Sqrt(float64(len(keys)))
		}
	}
	keys := heaviest(weight, maxEntityRanks)
	more, err := r.EntitiesByKey(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		e, ok := more[k]
		if ok && !slices.ContainsFunc(found, func(f Entity) bool { return f.ID == e.ID }) {
			found = append(found, e)
		}
	}
	return slices.DeleteFunc(found, func(e Entity) bool { return kind != "" && e.Type != kind }), nil
}

// heaviest returns at most most keys, by descending weight; of equal weights, newer
// keys come first.
func heaviest(weight map[int64]float64, most int) []int64 {
	keys := make([]int64, 0, len(weight))
	for k := range weight {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b int64) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(b, a))
	})
	return keys[:min(len(keys), most)]
}

// likeness rates how well a query matches the name or an alias, from 0 to 1.
func (e Entity) likeness(query string) float64 {
	best := 0.0
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		best = max(best, likeness(words(query), words(name)))
	}
	return best
}

// likeness compares names word by word, in any order. All words of the query count;
// additional words of the name cost little, because people are often called by a
// part of their name.
func likeness(query, name []string) float64 {
	if len(query) == 0 || len(name) == 0 {
		return 0
	}
	if slices.Equal(query, name) {
		return 1
	}
	sum := 0.0
	for _, q := range query {
		best := 0.0
		for _, n := range name {
			best = max(best, alike(q, n))
		}
		sum += best
	}
	part := float64(min(len(query), len(name))) / float64(max(len(query), len(name)))
	return sum / float64(len(query)) * (0.85 + 0.1*part)
}

// alike compares two words: 1 for equal words, less for a common prefix or for each
// typing error, and 0 for words that share only a letter or two.
func alike(a, b string) float64 {
	if a == b {
		return 1
	}
	la, lb := len([]rune(a)), len([]rune(b))
	long, short := max(la, lb), min(la, lb)
	score := 1 - float64(levenshtein.ComputeDistance(a, b))/float64(long)
	if short >= 2 && (strings.HasPrefix(b, a) || strings.HasPrefix(a, b)) {
		score = max(score, 0.6+0.4*float64(short)/float64(long))
	}
	if swapped(a, b) {
		score = max(score, 1-1/float64(long))
	}
	return score
}

// swapped reports whether two words differ only by two swapped adjacent letters.
func swapped(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
		}
	}
	return false
}

// round rounds a score to four digits.
func round(score float64) float64 { return math.Round(min(max(score, 0), 1)*1e4) / 1e4 }
