// This file implements the tools that store, change, and list memories.

package builtin

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/gateway"
	"toolcrib/registry/jsondoc"
)

// Limits of memories.
const (
	maxContent        = 2_000 // characters
	defaultImportance = 3
	maxImportance     = 5
)

// scope returns the texts of m that a search examines in addition to the content: the project, the tags, and the names
// of linked entities.
func (m Memory) scope() []string {
	return append(append([]string{m.Project}, m.Tags...), m.Entities...)
}

// terms returns the search terms under which m is indexed.
func (m Memory) terms() []string { return textTerms(append(m.scope(), m.Content)...) }

// expired reports whether m has expired at the time of the call.
func (c call) expired(m Memory) bool { return !m.Expires.IsZero() && !m.Expires.After(c.At) }

type memoryOut struct {
	Memory Memory `json:"memory"`
}

// kind checks the kind of a memory and returns it. If value is "", it returns fallback.
func (ps *problems) kind(value, fallback string) string {
	return ps.oneOf("kind", value, fallback, "fact", "preference", "event", "note")
}

func createMemories(ctx context.Context, c call) (any, error) {
	in := struct {
		Content    string   `json:"content"`
		Kind       string   `json:"kind"`
		Importance *int     `json:"importance"`
		Project    *string  `json:"project"`
		Tags       []string `json:"tags"`
		ExpiresAt  moment   `json:"expires_at"`
	}{}
	ps := decode(c.Args, &in)
	m := Memory{
		ID: c.opts.NewID(), Content: ps.text("content", in.Content, maxContent), Kind: ps.kind(in.Kind, "fact"),
		Importance: ps.between("importance", in.Importance, defaultImportance, maxImportance),
		Project:    ps.projectFilter(in.Project), Tags: ps.tags("tags", in.Tags),
		Expires: in.ExpiresAt.Time, Created: c.At, Updated: c.At,
	}
	if c.expired(m) {
		ps.Add("expires_at", "expected a time in the future; the current time is %s", c.clock())
	}
	err := c.write(ctx, ps, func(w Writer) error {
		p, err := c.projects(ctx, w)
		if err != nil {
			return err
		}
		if m.Project, err = p.resolve(ctx, in.Project != nil, m.Project); err != nil {
			return err
		}
		return w.AddMemory(ctx, m, m.terms())
	})
	return memoryOut{m}, err
}

type memoriesOut struct {
	Memories []Memory `json:"memories"`
	More     bool     `json:"more"`
}

func getMemories(ctx context.Context, c call) (any, error) {
	in := struct {
		ID      *string `json:"id"`
		Kind    string  `json:"kind"`
		Project *string `json:"project"`
		Tag     *string `json:"tag"`
		Since   moment  `json:"since"`
		Limit   *int    `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	f := MemoryFilter{Kind: ps.kind(in.Kind, ""), Project: ps.projectFilter(in.Project), Since: in.Since.Time}
	if in.Tag != nil {
		f.Tag = ps.text("tag", *in.Tag, maxTag)
	}
	memories, more, err := get(ctx, c, &ps, Reader.MemoriesByID, Reader.Memories, in.ID, f, in.Limit)
	return memoriesOut{listed(memories), more}, err
}

// same reports whether all fields that an update can change are equal in m and o.
func (m Memory) same(o Memory) bool {
	return m.Content == o.Content && m.Kind == o.Kind && m.Importance == o.Importance && m.Project == o.Project &&
		m.Expires.Equal(o.Expires) && slices.Equal(m.Tags, o.Tags)
}

func updateMemories(ctx context.Context, c call) (any, error) {
	in := struct {
		ID         string         `json:"id"`
		Content    *string        `json:"content"`
		Kind       *string        `json:"kind"`
		Importance *int           `json:"importance"`
		Project    change[string] `json:"project"`
		Tags       *[]string      `json:"tags"`
		ExpiresAt  change[moment] `json:"expires_at"`
	}{}
	ps := decode(c.Args, &in)
	ps.id("id", in.ID)
	if in.Content != nil {
		*in.Content = ps.text("content", *in.Content, maxContent)
	}
	if in.Kind != nil {
		*in.Kind = ps.kind(*in.Kind, "")
	}
	if in.Importance != nil {
		ps.between("importance", in.Importance, 0, maxImportance)
	}
	if in.Tags != nil {
		*in.Tags = ps.tags("tags", *in.Tags)
	}
	ps.projectChange("project", &in.Project)
	if c.expired(Memory{Expires: in.ExpiresAt.value.Time}) {
		ps.Add("expires_at", "expected a time in the future; the current time is %s. To delete the memory, use delete_memories", c.clock())
	}
	var out memoryOut
	err := c.write(ctx, ps, func(w Writer) error {
		was, err := memory(ctx, w, in.ID)
		if err != nil {
			return err
		}
		m := was
		set(&m.Content, in.Content)
		setUnlessEmpty(&m.Kind, in.Kind)
		set(&m.Importance, in.Importance)
		set(&m.Tags, in.Tags)
		if in.ExpiresAt.given {
			m.Expires = in.ExpiresAt.value.Time
		}
		if in.Project.given {
			p, err := c.projects(ctx, w)
			if err != nil {
				return err
			}
			if m.Project, err = p.resolve(ctx, true, in.Project.value); err != nil {
				return err
			}
		}
		if !m.same(was) {
			m.Updated = c.At
			err = w.ChangeMemory(ctx, m, m.terms())
		}
		out.Memory = m
		return err
	})
	return out, err
}

// memory returns the memory with the given id. It returns an *Error with CodeNotFound if there is no such memory.
func memory(ctx context.Context, r Reader, id string) (Memory, error) {
	found, err := r.MemoriesByID(ctx, []string{id})
	if err != nil {
		return Memory{}, err
	}
	if len(found) == 0 {
		return Memory{}, noMemory(id)
	}
	return found[0], nil
}

// noMemory returns an error about a memory that does not exist.
func noMemory(id string) error {
	return &gateway.Error{Code: CodeNotFound, Message: fmt.Sprintf("No memory has the id %s; nothing was changed. Look up the id first.", jsondoc.Quote(id))}
}

func deleteMemories(ctx context.Context, c call) (any, error) {
	in := struct {
		ID string `json:"id"`
	}{}
	ps := decode(c.Args, &in)
	ps.id("id", in.ID)
	err := c.write(ctx, ps, func(w Writer) error {
		ok, err := w.RemoveMemory(ctx, in.ID)
		if err == nil && !ok {
			err = noMemory(in.ID)
		}
		return err
	})
	return struct {
		Deleted string `json:"deleted"`
	}{in.ID}, err
}
