package mcp

import (
	"context"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// lint is lint_proposal: it runs the rules over a proposal that is given, or over one
// that is kept, and keeps nothing.
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

// preview is preview_proposal: the prompt of the client's own agent, and of no
// other (S13), as it would be after an approval. It is rendered as for a review,
// without the user's stored data.
func (s *Server) preview(ctx context.Context, _ proposals.Actor, args *jsondoc.Node) (any, error) {
	in := struct {
		Channel string `json:"channel"`
	}{Channel: prompt.Web}
	if err := bind(only(args, "channel"), &in); err != nil {
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
	found, err := s.config.Desk.Preview(ctx, []proposals.ID{id}, c.Agent, review.Scene{
		Layer: c.Layer, Where: c.Where, Context: prompt.Reference(), Channel: in.Channel,
	})
	if err != nil {
		return nil, err
	}
	doc, err := s.config.Documents.Preview(found[0])
	return map[string]any{"preview": doc}, err
}
