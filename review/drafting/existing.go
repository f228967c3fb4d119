package drafting

import (
	"context"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/intake"
)

// openBy returns the open proposal of an author on a subject, nil for none.
func openBy(ctx context.Context, r review.Reader, actor proposals.Actor, s registry.Subject) (*proposals.Proposal, error) {
	open, err := r.OpenOn(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, p := range open {
		if p.Author == actor {
			return &p, nil
		}
	}
	return nil, nil //nolint:nilnil // none open is an answer, not an error
}

// imported returns the open proposal that an imported draft of an actor revises: what
// an import proposed in the same place, if the actor may revise it. Once the server has
// changed, nobody could call what it approves. Other proposals about the subject are
// somebody's own wish.
func imported(ctx context.Context, r review.Reader, actor proposals.Actor, draft proposals.Draft) (*proposals.Proposal, error) {
	open, err := r.OpenOn(ctx, draft.Subject)
	if err != nil {
		return nil, err
	}
	for _, p := range open {
		if p.Type != draft.Type || p.State == proposals.Drafted && p.Author != actor || proposals.Authorize(actor, proposals.ActRevise, p.Author) != nil {
			continue
		}
		rev, err := r.Revision(ctx, p.ID, p.Revision)
		if err != nil {
			return nil, err
		}
		if p.Author == actor && actor.Kind == proposals.System || p.Type == proposals.New && sameOrigin(rev.Draft.Definition, draft.Definition) {
			return &p, nil
		}
		generated, err := isGenerated(ctx, r, rev)
		if err != nil {
			return nil, err
		}
		if generated {
			return &p, nil
		}
	}
	return nil, nil //nolint:nilnil // none is an answer, not an error
}

// isGenerated reports whether an import wrote all of a revision.
func isGenerated(ctx context.Context, r review.Reader, rev proposals.Revision) (bool, error) {
	if rev.Author.Kind == proposals.System {
		return true, nil
	}
	if rev.Draft.Base() == 0 {
		return intake.Generated(rev.Draft, nil), nil
	}
	v, err := r.Version(ctx, rev.Draft.Subject, rev.Draft.Base())
	if err != nil {
		return false, err
	}
	base, err := v.Decode()
	return err == nil && intake.Generated(rev.Draft, &base), err
}

// sameOrigin reports whether two definitions were imported from the same place.
func sameOrigin(a, b registry.Definition) bool {
	if f, g := a.Folder(), b.Folder(); f != nil && g != nil {
		return f.Path == g.Path
	}
	t, u := a.Tool, b.Tool
	return t != nil && u != nil && t.Source != nil && u.Source != nil && t.Source.Type == u.Source.Type && t.Source.Ref == u.Source.Ref
}
