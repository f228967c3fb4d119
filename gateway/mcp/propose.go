package mcp

import (
	"context"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// propose is propose_tool.
func (s *Server) propose(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Draft bool `json:"draft"`
	}
	flags := jsondoc.NewObject()
	if n := args.Remove("draft"); n != nil {
		flags.Set("draft", n)
	}
	if ps := jsondoc.Bind(flags, jsondoc.Root, &in); len(ps) > 0 {
		return nil, ps
	}
	draft, err := s.config.Documents.Draft(jsondoc.Canonical(args), !in.Draft)
	if err != nil {
		return nil, err
	}
	made, err := s.config.Desk.Propose(ctx, actor, []proposals.Draft{draft}, !in.Draft)
	if err != nil {
		return nil, err
	}
	return s.moved(ctx, actor, made[0])
}

// revise is revise_proposal.
func (s *Server) revise(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	id, err := s.id(ctx, jsondoc.NewObject(jsondoc.Member{Key: "id", Value: args.Remove("id")}))
	if err != nil {
		return nil, err
	}
	draft, err := s.config.Documents.Draft(jsondoc.Canonical(args), false) // the desk knows whether it is still a draft
	if err != nil {
		return nil, err
	}
	p, err := s.config.Desk.Revise(ctx, actor, id, draft)
	if err != nil {
		return nil, err
	}
	return s.moved(ctx, actor, p)
}

// moved returns the JSON form of a changed proposal with the findings of the review,
// so that an agent can fix it without another request.
func (s *Server) moved(ctx context.Context, actor proposals.Actor, p proposals.Proposal) (any, error) {
	out := map[string]any{"proposal": s.config.Documents.Proposal(p)}
	if p.Summary.Findings == 0 {
		return out, nil
	}
	d, err := s.config.Desk.Show(ctx, actor, p.ID)
	if err != nil {
		return nil, err
	}
	out["findings"] = s.findings(p.Subject, d.Standing)
	return out, nil
}

func (s *Server) findings(subject registry.Subject, standing []review.Standing) []any {
	found := make([]any, len(standing))
	for i, f := range standing {
		found[i] = s.config.Documents.Finding(subject, f)
	}
	return found
}

// id reads arguments that are the id of one proposal and nothing else.
func (s *Server) id(ctx context.Context, args *jsondoc.Node) (proposals.ID, error) {
	var in struct {
		ID string `json:"id"`
	}
	if args.Get("id") == nil {
		args.Remove("id")
	}
	if err := bind(args, &in, "id"); err != nil {
		return "", err
	}
	ids, err := s.config.Desk.Resolve(ctx, in.ID)
	switch {
	case err != nil:
		return "", err
	case len(ids) != 1:
		return "", jsondoc.Problems{{Path: "id", Message: "expected the id of one proposal; this prefix matches several"}}
	}
	return ids[0], nil
}

// bind reads arguments into a struct, and reports missing required ones.
func bind(args *jsondoc.Node, dst any, required ...string) error {
	ps := jsondoc.Bind(args, jsondoc.Root, dst)
	for _, key := range required {
		if args.Get(key) == nil {
			ps.Append(jsondoc.Problem{Path: key, Pos: args.Pos, Message: "missing"})
		}
	}
	return ps.Err()
}

// list is list_proposals.
func (s *Server) list(ctx context.Context, _ proposals.Actor, args *jsondoc.Node) (any, error) {
	in := struct {
		State   proposals.State `json:"state"`
		Author  string          `json:"author"`
		Subject string          `json:"subject"`
		Filter  string          `json:"filter"`
		Limit   int             `json:"limit"`
		After   string          `json:"after"`
	}{Limit: review.DefaultPage}
	if err := bind(args, &in); err != nil {
		return nil, err
	}
	switch {
	case in.State != "" && !known(in.State):
		return nil, jsondoc.Problems{{Path: "state", Message: "there is no state " + jsondoc.Quote(string(in.State))}}
	case in.Limit < 1 || in.Limit > review.MaxPage:
		return nil, jsondoc.Problems{{Path: "limit", Message: "expected 1 to 1000"}}
	}
	page, err := s.config.Desk.List(ctx, review.Query{State: in.State, Author: in.Author, Subject: in.Subject, Filter: in.Filter, Limit: in.Limit, After: in.After})
	if err != nil {
		return nil, err
	}
	out := struct {
		Proposals []any  `json:"proposals"`
		Next      string `json:"next,omitempty"`
	}{Proposals: []any{}, Next: page.Next}
	for _, p := range page.Proposals {
		out.Proposals = append(out.Proposals, s.config.Documents.Proposal(p))
	}
	return out, nil
}

func known(state proposals.State) bool {
	for _, s := range proposals.States() {
		if s == state {
			return true
		}
	}
	return false
}

// get is get_proposal.
func (s *Server) get(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	id, err := s.id(ctx, args)
	if err != nil {
		return nil, err
	}
	d, err := s.config.Desk.Show(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	return map[string]any{"proposal": s.config.Documents.Dossier(d)}, nil
}
