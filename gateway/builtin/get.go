package builtin

import "context"

// source is where the records of one kind are read from.
type source[T, F any] struct {
	byID func(r Reader, ctx context.Context, ids []string) ([]T, error)
	list func(r Reader, ctx context.Context, filter F, limit int) ([]T, error)
}

// get answers a get_ tool: with the record that has id, where one was given,
// else with the first that a filter lets through. more reports whether there
// are others after limit of them. It refuses the call if ps has problems.
func get[T, F any](ctx context.Context, c call, ps *problems, from source[T, F], id *string, filter F, limit *int) (found []T, more bool, err error) {
	most := ps.between("limit", limit, defaultLimit, maxLimit)
	ps.idFilter(id)
	if err := ps.err(); err != nil {
		return nil, false, err
	}
	err = c.read(ctx, func(r Reader) error {
		var err error
		if id != nil {
			found, err = from.byID(r, ctx, []string{*id})
		} else {
			found, err = from.list(r, ctx, filter, most+1)
		}
		return err
	})
	found, more = cut(found, most)
	return found, more, err
}

// docs makes documents of records: an empty list rather than none.
func docs[T, D any](list []T, doc func(T) D) []D {
	out := make([]D, len(list))
	for i, v := range list {
		out[i] = doc(v)
	}
	return out
}

// cut returns at most limit entries, and whether there were more.
func cut[T any](list []T, limit int) ([]T, bool) {
	if len(list) > limit {
		return list[:limit], true
	}
	return list, false
}

// The limits of a list that is asked for.
const (
	defaultLimit = 50
	maxLimit     = 200
)

// idFilter checks the id that a get_ tool may be given.
func (ps *problems) idFilter(id *string) {
	if id != nil {
		ps.id("id", *id)
	}
}
