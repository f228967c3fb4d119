// This file implements the tools for entities and for links from memories.

package builtin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

type entitiesOut struct {
	Entities []Entity  `json:"entities"`
	Memories *[]Memory `json:"memories,omitempty"`
	More     bool      `json:"more"`
}

func getEntities(ctx context.Context, c call) (any, error) {
	in := struct {
		ID      *string `json:"id"`
		Type    string  `json:"type"`
		Project *string `json:"project"`
		Limit   *int    `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	f := EntityFilter{Type: ps.entityType("type", in.Type), Project: ps.projectFilter(in.Project)}
	limit := ps.between("limit", in.Limit, defaultLimit, maxLimit)
	ps.idFilter(in.ID)
	var out entitiesOut
	err := c.read(ctx, ps, func(r Reader) error {
		if in.ID == nil {
			found, err := r.Entities(ctx, f, limit+1)
			found, out.More = cut(found, limit)
			out.Entities = listed(found)
			return err
		}
		found, err := r.EntitiesByID(ctx, []string{*in.ID})
		out.Entities = listed(found)
		if err != nil || len(found) == 0 {
			return err
		}
		about, err := r.MemoriesOf(ctx, *in.ID, limit+1)
		about, out.More = cut(about, limit)
		out.Memories = new(listed(about))
		return err
	})
	return out, err
}

// Limits of a search for entities.
const (
	maxQueryGrams  = 24  // maximum number of trigrams to look up
	maxGramHits    = 300 // maximum number of entities to consider for each trigram
	maxEntityRanks = 100 // maximum number of entities to compare with the query
	maxFound       = 50
	defaultFound   = 10
	leastLikeness  = 0.45 // minimum similarity of a matching name
)

type foundEntity struct {
	Entity Entity  `json:"entity"`
	Score  float64 `json:"score"`
}

func searchEntities(ctx context.Context, c call) (any, error) {
	in := struct {
		Query string `json:"query"`
		Type  string `json:"type"`
		Limit *int   `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	query := ps.text("query", in.Query, maxEntityName)
	kind := ps.entityType("type", in.Type)
	limit := ps.between("limit", in.Limit, defaultFound, maxFound)
	found := []foundEntity{}
	err := c.read(ctx, ps, func(r Reader) error {
		candidates, err := candidateEntities(ctx, r, query, kind)
		if err != nil {
			return err
		}
		found = found[:0] // the transaction may be retried
		for _, e := range candidates {
			score := 0.0
			for _, name := range append([]string{e.Name}, e.Aliases...) {
				score = max(score, nameSimilarity(words(query), words(name)))
			}
			if score >= leastLikeness {
				found = append(found, foundEntity{e, round(score)})
			}
		}
		return nil
	})
	slices.SortFunc(found, func(a, b foundEntity) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Entity.Memories, a.Entity.Memories), cmp.Compare(a.Entity.ID, b.Entity.ID))
	})
	found, _ = cut(found, limit)
	return struct {
		Entities []foundEntity `json:"entities"`
	}{found}, err
}

// candidateEntities returns entities that may match a query. An entity is included if its name equals the query, or if
// its name is among those that share the most words and trigrams with the query. Rare words and trigrams have more
// weight. If kind is not "", only entities of this type are included.
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

// heaviest returns up to limit keys with the largest weights, in descending order of their weights. If two keys have
// the same weight, the larger key precedes the smaller, because it is newer.
func heaviest(weight map[int64]float64, limit int) []int64 {
	keys := slices.SortedFunc(maps.Keys(weight), func(a, b int64) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(b, a))
	})
	return keys[:min(len(keys), limit)]
}

// nameSimilarity returns the similarity of a query and a name, both split into words, from 0 to 1. The result is 1 only
// if both are equal. Each word of the query is compared with the most similar word of the name, regardless of the
// order. Additional words of the name reduce the result only a little, because people are often called by a part of
// their name.
func nameSimilarity(query, name []string) float64 {
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
			best = max(best, wordSimilarity(q, n))
		}
		sum += best
	}
	part := float64(min(len(query), len(name))) / float64(max(len(query), len(name)))
	return sum / float64(len(query)) * (0.85 + 0.1*part)
}

// wordSimilarity returns the similarity of two words, from 0 to 1. The result is 1 for equal words and decreases with
// the edit distance. It is larger if one word is a prefix of the other, or if the words differ only in two swapped
// letters.
func wordSimilarity(a, b string) float64 {
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

// swapped reports whether a and b differ only in the order of two adjacent letters.
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

// round limits a score to the range from 0 to 1 and rounds it to four decimal places.
func round(score float64) float64 { return math.Round(min(max(score, 0), 1)*1e4) / 1e4 }

// Limits of links and entities.
const (
	maxLinks      = 100 // maximum number of links from a memory
	maxEntityName = 200 // characters
	maxAliases    = 20
)

// entityType checks the type of an entity and returns it. It adds a problem if the type is unknown.
func (ps *problems) entityType(path, value string) string {
	return ps.oneOf(path, value, "", "person", "organisation", "place", "project", "thing", "other")
}

func linkMemories(ctx context.Context, c call) (any, error) {
	in := struct {
		ID         string  `json:"id"`
		ToMemoryID *string `json:"to_memory_id"`
		ToEntity   *string `json:"to_entity"`
		EntityType string  `json:"entity_type"`
		Relation   string  `json:"relation"`
	}{}
	ps := decode(c.Args, &in)
	ps.id("id", in.ID)
	in.EntityType = ps.entityType("entity_type", in.EntityType)
	in.Relation = ps.oneOf("relation", in.Relation, "about", "about", "explains", "replaces", "contradicts", "follows", "part_of")
	switch {
	case in.ToMemoryID == nil && in.ToEntity == nil:
		ps.Add(jsondoc.Root, "expected a target: to_memory_id or to_entity")
	case in.ToMemoryID != nil && in.ToEntity != nil:
		ps.Add(jsondoc.Root, "expected one target, got both to_memory_id and to_entity")
	case in.ToMemoryID != nil:
		ps.id("to_memory_id", *in.ToMemoryID)
		if *in.ToMemoryID == in.ID {
			ps.Add("to_memory_id", "expected another memory; a memory cannot be linked to itself")
		}
	default:
		*in.ToEntity = strings.Join(strings.Fields(ps.text("to_entity", *in.ToEntity, maxEntityName)), " ")
		if len(words(*in.ToEntity)) == 0 && len(ps.Problems) == 0 {
			ps.Add("to_entity", "expected a name with letters or digits")
		}
	}
	out := struct {
		ID       string `json:"id"`
		Target   string `json:"target"`
		Relation string `json:"relation"`
		Created  bool   `json:"created"`
	}{ID: in.ID, Relation: in.Relation}
	err := c.write(ctx, ps, func(w Writer) error {
		from, err := memory(ctx, w, in.ID)
		if err != nil {
			return err
		}
		if in.ToEntity != nil {
			out.Target, err = c.entity(ctx, w, *in.ToEntity, in.EntityType)
		} else {
			var to Memory
			to, err = memory(ctx, w, *in.ToMemoryID)
			out.Target = to.ID
		}
		if err != nil {
			return err
		}
		out.Created, err = w.AddLink(ctx, Link{Memory: from.ID, Target: out.Target, ToEntity: in.ToEntity != nil, Relation: in.Relation, At: c.At})
		if err != nil || !out.Created {
			return err
		}
		n, err := w.CountLinks(ctx, from.ID)
		if err != nil {
			return err
		}
		if n > maxLinks {
			return &gateway.Error{Code: CodeFull, Message: fmt.Sprintf("This memory already has %d links, which is the limit; nothing was linked.", maxLinks)}
		}
		if in.ToEntity == nil {
			return nil
		}
		// The memory must be indexed again, because the name of the entity is now one of its search terms.
		if from, err = memory(ctx, w, in.ID); err != nil {
			return err
		}
		return w.IndexMemory(ctx, from.ID, from.terms())
	})
	return out, err
}

// otherType is the type of an entity that was created without a type.
const otherType = "other"

// entity returns the id of the entity with the given name and type, and creates the entity if necessary. If kind is "",
// an entity of any type matches, and entity returns an error if there are several. If an existing entity has the type
// otherType, entity changes the type to kind.
func (c call) entity(ctx context.Context, w Writer, name, kind string) (string, error) {
	key := EntityKey(name)
	found, err := w.EntitiesByName(ctx, key)
	if err != nil {
		return "", err
	}
	e, ok, err := pickEntity(found, name, kind)
	if err != nil {
		return "", err
	}
	if !ok {
		e = Entity{ID: c.opts.NewID(), Name: name, Type: cmp.Or(kind, otherType)}
		return e.ID, w.AddEntity(ctx, e, key, entityTerms(name))
	}
	changed := kind != "" && kind != e.Type
	if changed {
		e.Type = kind
	}
	known := func(other string) bool { return NameKey(other) == NameKey(name) }
	if !known(e.Name) && !slices.ContainsFunc(e.Aliases, known) && len(e.Aliases) < maxAliases {
		e.Aliases, changed = append(slices.Clone(e.Aliases), name), true
	}
	if changed {
		err = w.ChangeEntity(ctx, e, entityTerms(e.Name))
	}
	return e.ID, err
}

// pickEntity selects an entity from matches, the entities with the given name. It prefers an entity of the given type
// to an entity of type otherType. If kind is "", any type matches, and pickEntity returns an error if matches contains
// more than one entity. pickEntity returns false if no entity matches.
func pickEntity(matches []Entity, name, kind string) (Entity, bool, error) {
	switch {
	case kind == "" && len(matches) > 1:
		types := lists.Map(matches, func(e Entity) string { return e.Type })
		slices.Sort(types)
		return Entity{}, false, &gateway.Error{
			Code: gateway.CodeArguments,
			Message: fmt.Sprintf("Several entities are called %s: %s. Set entity_type to select one.",
				jsondoc.Quote(name), strings.Join(types, ", ")),
		}
	case kind == "" && len(matches) == 1:
		return matches[0], true, nil
	case kind == "":
		return Entity{}, false, nil
	}
	for _, t := range []string{kind, otherType} {
		if n := slices.IndexFunc(matches, func(e Entity) bool { return e.Type == t }); n >= 0 {
			return matches[n], true, nil
		}
	}
	return Entity{}, false, nil
}

// EntityKey returns a key for looking up entities by name. Names that differ only in case, accents, or punctuation have
// the same key.
func EntityKey(name string) string { return strings.Join(words(name), " ") }

// entityTerms returns the search terms of an entity with the given name.
func entityTerms(name string) []string { return append(textTerms(name), grams(name)...) }
