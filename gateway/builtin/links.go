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

// Limits of links and entities.
const (
	maxLinks      = 100 // from one memory
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

// entityType checks the type of an entity.
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
			ps.Add("to_memory_id", "expected another memory; a memory cannot be linked to itself")
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
		// The entity's name is now a search term of the memory.
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

// otherType is the type of an entity if none was given.
const otherType = "other"

// entity returns the id of the entity with a name, which it creates if necessary.
// If several entities have the name, the type is required; an entity without a type
// gets the given one.
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

// pickEntity returns the entity of the given type among those with the same name.
// If there is only one, kind may be "". It returns false if there is none.
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

// learn adds a name, and a type unless it is "". It reports whether the entity
// changed.
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

// knows reports whether an entity has a name, ignoring letter case.
func (e Entity) knows(name string) bool {
	return NameKey(e.Name) == NameKey(name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return NameKey(a) == NameKey(name) })
}

// EntityKey returns the key that finds an entity by its name. Spellings that differ
// in letter case, accents or punctuation have the same key.
func EntityKey(name string) string { return strings.Join(words(name), " ") }

// entityTerms returns the search terms of an entity.
func entityTerms(name string) []string { return append(textTerms(name), grams(name)...) }
