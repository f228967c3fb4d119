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
	maxQueryGrams  = 24  // groups of three letters, the longest words first
	maxGramHits    = 300 // entities that are looked at for one of them
	maxEntityRanks = 100 // entities that are compared with the query letter by letter
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
		found = found[:0] // it may run again
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

// candidateEntities returns entities that may be meant: those of the very
// name, and those that share the most and the rarest groups of letters.
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

// heaviest returns at most most keys, the heaviest and among those the newest
// first.
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

// likeness rates how well an entity's name or an alias fits a query, 0 to 1.
func (e Entity) likeness(query string) float64 {
	best := 0.0
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		best = max(best, likeness(words(query), words(name)))
	}
	return best
}

// likeness compares names word by word, in any order. Every word of the query
// counts; words of the name that it lacks cost little, because people are
// called by a part of their name.
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

// alike compares two words: 1 for the same, less for a beginning and for each
// slip, 0 for words that only share a letter or two.
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

// swapped reports whether two words differ by two letters that changed places.
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

// round keeps four digits of a score, which says no more than that.
func round(score float64) float64 { return math.Round(min(max(score, 0), 1)*1e4) / 1e4 }
