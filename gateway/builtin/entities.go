package builtin

import (
	"context"
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
