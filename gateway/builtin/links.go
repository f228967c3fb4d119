package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/gateway"
	"toolcrib/registry/jsondoc"
)

// The bounds of links and entities.
const (
	maxLinks      = 100 // that start from a memory
	maxEntityName = 200 // characters
	maxAliases    = 20
)

// linkIn is the input of link_memories.
type linkIn struct {
	ID         string  `json:"id"`
	ToMemoryID *string `json:"to_memory_id"`
	ToEntity   *string `json:"to_entity"`
	EntityType string  `json:"entity_type"`
	Relation   string  `json:"relation"`
}

// entityType checks what an entity is.
func (ps *problems) entityType(path, value, fallback string) string {
	return ps.oneOf(path, value, fallback, "person", "organisation", "place", "project", "thing", "other")
}

func (in *linkIn) check(ps *problems) {
	ps.id("id", in.ID)
	in.EntityType = ps.entityType("entity_type", in.EntityType, "")
	in.Relation = ps.oneOf("relation", in.Relation, "about", "about", "explains", "replaces", "contradicts", "follows", "part_of")
	switch {
	case in.ToMemoryID == nil && in.ToEntity == nil:
		ps.Add(jsondoc.Root, "expected a target: to_memory_id or to_entity")
	case in.ToMemoryID != nil && in.ToEntity != nil:
		ps.Add(jsondoc.Root, "expected one target, got both to_memory_id and to_entity")
	case in.ToMemoryID != nil:
		ps.id("to_memory_id", *in.ToMemoryID)
		if *in.ToMemoryID == in.ID {
			ps.Add("to_memory_id", "expected another memory than the one the link starts from")
		}
	default:
		*in.ToEntity = strings.Join(strings.Fields(ps.text("to_entity", *in.ToEntity, maxEntityName)), " ")
		if len(words(*in.ToEntity)) == 0 && len(ps.Problems) == 0 {
			ps.Add("to_entity", "expected a name with letters or digits")
		}
	}
}

type linkOut struct {
	ID       string `json:"id"`
	Target   string `json:"target"`
	Relation string `json:"relation"`
	Created  bool   `json:"created"`
}

func linkMemories(ctx context.Context, c call) (any, error) {
	var in linkIn
	ps := decode(c.Args, &in)
	in.check(&ps)
	if err := ps.err(); err != nil {
		return nil, err
	}
	out := linkOut{ID: in.ID, Relation: in.Relation}
	err := c.write(ctx, func(w Writer) error {
		from, err := memory(ctx, w.Reader, in.ID)
		if err != nil {
			return err
		}
		if out.Target, err = c.target(ctx, w, in); err != nil {
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
		// The memory is found by the name from now on.
		if from, err = memory(ctx, w.Reader, in.ID); err != nil {
			return err
		}
		return w.IndexMemory(ctx, from.ID, from.terms())
	})
	return out, err
}

// target returns the id of the target of a memory's link.
func (c call) target(ctx context.Context, w Writer, in linkIn) (string, error) {
	if in.ToMemoryID == nil {
		return c.entity(ctx, w, *in.ToEntity, in.EntityType)
	}
	to, err := memory(ctx, w.Reader, *in.ToMemoryID)
	return to.ID, err
}

// otherType is the type of an entity of which nothing else was said.
const otherType = "other"

// entity returns the id of the entity with a name, and creates it if there is
// none. A name that several have needs the type; an entity without a type gets it.
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
	if e.learn(name, kind) {
		err = w.ChangeEntity(ctx, e, entityTerms(e.Name))
	}
	return e.ID, err
}

// pickEntity returns the one that is meant of the entities that go by a name; a
// kind of "" will do where there is only one. It reports false for none.
func pickEntity(found []Entity, name, kind string) (Entity, bool, error) {
	switch {
	case kind == "" && len(found) > 1:
		types := docs(found, func(e Entity) string { return e.Type })
		slices.Sort(types)
		return Entity{}, false, &gateway.Error{
			Code: gateway.CodeArguments,
			Message: fmt.Sprintf("Several entities are called %s: %s. Set entity_type to select one.",
				jsondoc.Quote(name), strings.Join(types, ", ")),
		}
	case kind == "" && len(found) == 1:
		return found[0], true, nil
	case kind == "":
		return Entity{}, false, nil
	}
	for _, t := range []string{kind, otherType} {
		if n := slices.IndexFunc(found, func(e Entity) bool { return e.Type == t }); n >= 0 {
			return found[n], true, nil
		}
	}
	return Entity{}, false, nil
}

// learn adds what a link says of an entity: a name, and a type unless it is "".
// It reports whether that was new.
func (e *Entity) learn(name, kind string) bool {
	changed := false
	if kind != "" && kind != e.Type {
		e.Type, changed = kind, true
	}
	if !e.knows(name) && len(e.Aliases) < maxAliases {
		e.Aliases, changed = append(slices.Clone(e.Aliases), name), true
	}
	return changed
}

// knows reports whether an entity has a name, letter case apart.
func (e Entity) knows(name string) bool {
	return NameKey(e.Name) == NameKey(name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return NameKey(a) == NameKey(name) })
}

// EntityKey returns the same key for two spellings of a name: letter case,
// accents and punctuation make no difference.
func EntityKey(name string) string { return strings.Join(words(name), " ") }

// entityTerms returns the search terms of an entity.
func entityTerms(name string) []string { return append(textTerms(name), grams(name)...) }
