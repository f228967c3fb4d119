package mcp

import (
	"context"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// submit is submit_proposal: it hands in a draft of the agent's own.
func (s *Server) submit(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	return s.move(ctx, actor, args, func(id proposals.ID) (proposals.Proposal, error) { return s.config.Desk.Submit(ctx, actor, id) })
}

// rebase is rebase_proposal: it renews a stale proposal of the agent's own.
func (s *Server) rebase(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	return s.move(ctx, actor, args, func(id proposals.ID) (proposals.Proposal, error) { return s.config.Desk.Rebase(ctx, actor, id) })
}

// move does something to the one proposal that the arguments name.
func (s *Server) move(ctx context.Context, actor proposals.Actor, args *jsondoc.Node, act func(proposals.ID) (proposals.Proposal, error)) (any, error) {
	id, err := s.id(ctx, args)
	if err != nil {
		return nil, err
	}
	p, err := act(id)
	if err != nil {
		return nil, err
	}
	return s.moved(ctx, actor, p)
}

// withdraw is withdraw_proposal: it ends an open proposal of the agent's own.
func (s *Server) withdraw(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Note string `json:"note"`
	}
	if err := bind(only(args, "note"), &in); err != nil {
		return nil, err
	}
	return s.move(ctx, actor, args, func(id proposals.ID) (proposals.Proposal, error) {
		return s.config.Desk.Withdraw(ctx, actor, id, in.Note)
	})
}

// comment is comment_proposal: it adds to the thread of any proposal, as anyone
// may.
func (s *Server) comment(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Body     string `json:"body"`
		Revision int    `json:"revision"`
		Field    string `json:"field"`
		Line     int    `json:"line"`
	}
	if err := bind(only(args, "body", "revision", "field", "line"), &in, "body"); err != nil {
		return nil, err
	}
	id, err := s.id(ctx, args)
	if err != nil {
		return nil, err
	}
	c, err := s.config.Desk.Comment(ctx, actor, id, in.Body, review.Anchor{Revision: in.Revision, Field: in.Field, Line: in.Line})
	if err != nil {
		return nil, err
	}
	return map[string]any{"comment": s.config.Documents.Comment(c)}, nil
}

// only takes some keys out of arguments.
func only(args *jsondoc.Node, keys ...string) *jsondoc.Node {
	taken := jsondoc.NewObject()
	for _, key := range keys {
		if n := args.Remove(key); n != nil {
			taken.Set(key, n)
		}
	}
	return taken
}
