// This file implements the tools that draft, check, read, and comment on proposals, and change their states.

package mcp

import (
	"context"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/impact"
)

// lint implements lint_proposal. It applies the rules to the stored proposal with the id in args, or to the proposal in
// args. It stores nothing.
func (s *Server) lint(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	if args.Get("id") != nil {
		id, err := s.id(ctx, args)
		if err != nil {
			return nil, err
		}
		d, err := s.config.Desk.Show(ctx, actor, id)
		if err != nil {
			return nil, err
		}
		found, err := s.config.Desk.LintProposal(ctx, actor, id)
		return s.linted(d.Proposal.Subject, found), err
	}
	draft, err := s.config.Documents.Draft(jsondoc.Canonical(args), true)
	if err != nil {
		return nil, err
	}
	found, err := s.config.Desk.Lint(ctx, actor, draft)
	return s.linted(draft.Subject, found), err
}

func (s *Server) linted(subject registry.Subject, found review.Lint) any {
	return map[string]any{"recommendation": found.Recommendation, "findings": s.findings(subject, found.Standing)}
}

// preview implements preview_proposal. It renders the prompt that the client's agent would have after an approval of
// the proposal. A client cannot preview the prompts of other agents (S13). The prompt does not contain the user's
// stored data.
func (s *Server) preview(ctx context.Context, _ proposals.Actor, args *jsondoc.Node) (any, error) {
	in := struct {
		Channel string `json:"channel"`
	}{Channel: prompt.Web}
	if err := bind(selectKeys(args, "channel"), &in); err != nil {
		return nil, err
	}
	if !registry.ValidChannel(in.Channel) {
		return nil, jsondoc.Problems{{Path: "channel", Message: "expected the name of a channel, such as web or telegram"}}
	}
	id, err := s.id(ctx, args)
	if err != nil {
		return nil, err
	}
	c := s.config.Caller
	found, err := s.config.Desk.Preview(ctx, []proposals.ID{id}, c.Agent, impact.Scene{
		Layer: c.Layer, Where: c.Where, Context: prompt.Reference(), Channel: in.Channel,
	})
	if err != nil {
		return nil, err
	}
	doc, err := s.config.Documents.Preview(found[0])
	return map[string]any{"preview": doc}, err
}

// propose implements propose_tool.
func (s *Server) propose(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Draft bool `json:"draft"`
	}
	if err := bind(selectKeys(args, "draft"), &in); err != nil {
		return nil, err
	}
	draft, err := s.config.Documents.Draft(jsondoc.Canonical(args), !in.Draft)
	if err != nil {
		return nil, err
	}
	made, err := s.config.Desk.Propose(ctx, actor, []proposals.Draft{draft}, !in.Draft)
	if err != nil {
		return nil, err
	}
	return s.reply(ctx, actor, made[0])
}

// revise implements revise_proposal.
func (s *Server) revise(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	id, err := s.id(ctx, jsondoc.NewObject(jsondoc.Member{Key: "id", Value: args.Remove("id")}))
	if err != nil {
		return nil, err
	}
	draft, err := s.config.Documents.Draft(jsondoc.Canonical(args), false) // false, because a draft may be incomplete; for other proposals, the desk rejects an incomplete revision
	if err != nil {
		return nil, err
	}
	p, err := s.config.Desk.Revise(ctx, actor, id, draft)
	if err != nil {
		return nil, err
	}
	return s.reply(ctx, actor, p)
}

// reply returns the JSON form of p, a new or changed proposal. The reply also contains the findings of p, which saves
// the agent another request.
func (s *Server) reply(ctx context.Context, actor proposals.Actor, p proposals.Proposal) (any, error) {
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
	return lists.Map(standing, func(f review.Standing) any { return s.config.Documents.Finding(subject, f) })
}

// id returns the id of the proposal that args identifies. args must contain only the key id, with an id or a unique
// prefix of an id as the value.
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
		return "", jsondoc.Problems{{Path: "id", Message: "this prefix matches several proposals; use a longer prefix"}}
	}
	return ids[0], nil
}

// list implements list_proposals.
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
	case in.State != "" && !slices.Contains(proposals.States(), in.State):
		return nil, jsondoc.Problems{{Path: "state", Message: "unknown state " + jsondoc.Quote(string(in.State))}}
	case in.Limit < 1 || in.Limit > review.MaxPage:
		return nil, jsondoc.Problems{{Path: "limit", Message: "expected a number from 1 to 1000"}}
	}
	page, err := s.config.Desk.List(ctx, review.Query{State: in.State, Author: in.Author, Subject: in.Subject, Filter: in.Filter, Limit: in.Limit, After: in.After})
	if err != nil {
		return nil, err
	}
	out := struct {
		Proposals []any  `json:"proposals"`
		Next      string `json:"next,omitempty"`
	}{lists.Map(page.Proposals, s.config.Documents.Proposal), page.Next}
	return out, nil
}

// get implements get_proposal.
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

// submit implements submit_proposal. It submits one of the agent's drafts.
func (s *Server) submit(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	return s.move(ctx, actor, args, func(id proposals.ID) (proposals.Proposal, error) { return s.config.Desk.Submit(ctx, actor, id) })
}

// rebase implements rebase_proposal. It rebases one of the agent's stale proposals.
func (s *Server) rebase(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	return s.move(ctx, actor, args, func(id proposals.ID) (proposals.Proposal, error) { return s.config.Desk.Rebase(ctx, actor, id) })
}

// move applies act to the proposal that args identifies, and returns the reply for the changed proposal.
func (s *Server) move(ctx context.Context, actor proposals.Actor, args *jsondoc.Node, act func(proposals.ID) (proposals.Proposal, error)) (any, error) {
	id, err := s.id(ctx, args)
	if err != nil {
		return nil, err
	}
	p, err := act(id)
	if err != nil {
		return nil, err
	}
	return s.reply(ctx, actor, p)
}

// withdraw implements withdraw_proposal. It withdraws one of the agent's open proposals.
func (s *Server) withdraw(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Note string `json:"note"`
	}
	if err := bind(selectKeys(args, "note"), &in); err != nil {
		return nil, err
	}
	return s.move(ctx, actor, args, func(id proposals.ID) (proposals.Proposal, error) {
		return s.config.Desk.Withdraw(ctx, actor, id, in.Note)
	})
}

// comment implements comment_proposal. It adds a comment to any proposal, including proposals of other authors.
func (s *Server) comment(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Body     string `json:"body"`
		Revision int    `json:"revision"`
		Field    string `json:"field"`
		Line     int    `json:"line"`
	}
	if err := bind(selectKeys(args, "body", "revision", "field", "line"), &in, "body"); err != nil {
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

// selectKeys removes the members with the given keys from args and returns them as a new object.
func selectKeys(args *jsondoc.Node, keys ...string) *jsondoc.Node {
	taken := jsondoc.NewObject()
	for _, key := range keys {
		if n := args.Remove(key); n != nil {
			taken.Set(key, n)
		}
	}
	return taken
}
