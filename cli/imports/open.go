package imports

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/gateway/guarding"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
)

// leaveOutPending takes out the proposals that somebody has made already, and
// where nobody asked for this very import those that were rejected.
func leaveOutPending(ctx context.Context, a *command.App, steps []intake.Step, watched bool) error {
	return a.DB.View(ctx, func(r review.Reader) error {
		for i, s := range steps {
			if s.Draft == nil {
				continue
			}
			open, err := r.OpenOn(ctx, s.Subject)
			if err != nil {
				return err
			}
			for _, p := range open {
				if err := keepExcluded(ctx, r, s, p); err != nil {
					return err
				}
				if p.Type == s.Draft.Type && p.ContentHash == s.Draft.Definition.Hash() && (p.State != proposals.Drafted || s.Missing != "") {
					steps[i] = s.Pending(p)
				}
			}
			if !watched || steps[i].Draft == nil {
				continue
			}
			d, err := r.Rejection(ctx, s.Subject, s.Draft.Definition.Hash())
			switch {
			case err == nil:
				steps[i].Change, steps[i].Draft, steps[i].Reason = intake.Skip, nil, "it was rejected: "+d.Note
			case !errors.Is(err, proposals.ErrNotFound):
				return err
			}
		}
		return nil
	})
}

// keepExcluded gives a draft the parts that an open proposal about the same tool excludes from
// its pin, and its JSON where nothing but these parts differs.
func keepExcluded(ctx context.Context, r review.Reader, s intake.Step, p proposals.Proposal) error {
	t := s.Draft.Definition.Tool
	if t == nil || t.Source == nil || t.Source.Type != registry.SourceMCP || p.Type != s.Draft.Type {
		return nil
	}
	rev, err := r.Revision(ctx, p.ID, p.Revision)
	if err != nil || rev.Draft.Definition.Tool == nil {
		return err
	}
	open := rev.Draft.Definition.Tool.Source
	if open == nil || open.Ref != t.Source.Ref || len(open.Excluded) == 0 {
		return nil
	}
	t.Source = s.Item.Exclude(t.Source, open.Excluded)
	if t.Source.Masked == open.Masked {
		s.Draft.Definition = rev.Draft.Definition
	}
	return nil
}

// leaveOutUndeclared takes out the deactivation of tools that the server listed to a
// client with more capabilities than this list was asked with: servers leave out the
// tools that a client cannot serve, and another client still has them.
func leaveOutUndeclared(ctx context.Context, a *command.App, steps []intake.Step, live []registry.Live, declared json.RawMessage) error {
	for i, s := range steps {
		at := slices.IndexFunc(live, func(l registry.Live) bool { return l.Subject == s.Subject })
		if s.Change != intake.Deactivate || s.Draft == nil || at < 0 {
			continue
		}
		lacks, err := undeclared(ctx, a, live[at].Definition.Tool, declared)
		if err != nil {
			return err
		}
		if lacks != "" {
			steps[i].Change, steps[i].Draft = intake.Skip, nil
			steps[i].Reason = "it was listed to a client that declares " + jsondoc.Quote(lacks) + ", which this one does not"
		}
	}
	return nil
}

// undeclared returns a capability of the client to which an imported tool was listed
// that is not among the declared ones, "" for none, or where nobody knows.
func undeclared(ctx context.Context, a *command.App, t *registry.Tool, declared json.RawMessage) (string, error) {
	has, had := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if t == nil || t.Source == nil || len(declared) == 0 || json.Unmarshal(declared, &has) != nil {
		return "", nil
	}
	listed, known, err := a.DB.ImportOf(ctx, t.Source.Hash)
	if err != nil || !known || json.Unmarshal(listed.Capabilities, &had) != nil {
		return "", err
	}
	for _, capability := range slices.Sorted(maps.Keys(had)) {
		if _, ok := has[capability]; !ok {
			return capability, nil
		}
	}
	return "", nil
}

// retraction is a proposal of an import that a server took back, and why it ends.
type retraction struct {
	review.Bundle
	note string
}

// retract withdraws what an earlier look at a server proposed and the server took back:
// changes of tools that are live as it lists them now, and tools that it lists no more.
func (t Taken) retract(ctx context.Context, b command.Session, a *command.App, live []registry.Live) (withdrawn []proposals.Proposal, err error) {
	back, err := t.takenBack(ctx, a, live)
	if err != nil {
		return nil, err
	}
	for _, p := range back {
		if proposals.Authorize(b.Actor, proposals.ActWithdraw, p.Proposal.Author) != nil {
			continue
		}
		var ended proposals.Proposal
		if b.Actor.Kind == proposals.System {
			ended, err = b.Desk.Drafting.Retract(ctx, p.Proposal.ID, p.Proposal.Revision, p.note)
		} else {
			ended, err = b.Desk.Drafting.Withdraw(ctx, b.Actor, p.Proposal.ID, p.note)
		}
		if err != nil {
			return withdrawn, err
		}
		withdrawn = append(withdrawn, ended)
	}
	return withdrawn, nil
}

const notListed = "The server does not list it any more."

// takenBack returns the open proposals of imports that a server took back.
func (t Taken) takenBack(ctx context.Context, a *command.App, live []registry.Live) ([]retraction, error) {
	open, err := openOf(ctx, a, t.Origin.Label)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, it := range t.doc.Items {
		there[it.Format.SourceType()+" "+it.Name] = true
	}
	var back []retraction
	for _, p := range open {
		tool, draft := p.Revision.Draft.Definition.Tool, p.Revision.Draft
		if at := slices.IndexFunc(live, func(l registry.Live) bool { return l.Subject == draft.Subject }); at >= 0 {
			if note := t.overtakes(draft); note != "" && intake.Generated(draft, &live[at].Definition) {
				back = append(back, retraction{p, note})
				continue
			}
		}
		if draft.Type != proposals.New || there[tool.Source.Type+" "+tool.OriginName()] || tool.Source.Type == registry.SourceMCPText && !t.doc.Texts || !intake.Generated(draft, nil) {
			continue
		}
		lacks, err := undeclared(ctx, a, tool, t.doc.Capabilities)
		if err != nil {
			return nil, err
		}
		if lacks == "" {
			back = append(back, retraction{p, notListed})
		}
	}
	return back, nil
}

// overtakes returns why what a server lists now no longer asks for a draft about a live
// tool, "" when it does.
func (t Taken) overtakes(draft proposals.Draft) string {
	at := slices.IndexFunc(t.steps, func(s intake.Step) bool { return s.Subject == draft.Subject })
	switch {
	case at < 0:
	case t.steps[at].Change == intake.None:
		return "The server took the change back."
	case t.steps[at].Change == intake.Deactivate && draft.Type == proposals.Modify:
		return notListed
	case t.steps[at].Change == intake.Modify && draft.Type == proposals.Deactivate:
		return "The server lists it again."
	}
	return ""
}

// openOf returns the open proposals about tools and texts that come from a server.
func openOf(ctx context.Context, a *command.App, label string) (open []review.Bundle, err error) {
	states := slices.DeleteFunc(proposals.States(), func(s proposals.State) bool { return !s.Open() })
	err = a.DB.View(ctx, func(r review.Reader) error {
		open, err = guarding.OpenOf(ctx, r, label, states...)
		return err
	})
	return slices.DeleteFunc(open, func(p review.Bundle) bool {
		source := p.Revision.Draft.Definition.Tool.Source
		return source == nil || !strings.HasPrefix(source.Ref, label+"#")
	}), err
}

// Waiting returns how many tools and texts of a server wait for an approval, without those
// that the server does not list any more.
func Waiting(ctx context.Context, a *command.App, server string) (n int, err error) {
	open, err := openOf(ctx, a, server)
	for _, p := range open {
		if p.Proposal.Type != proposals.Deactivate {
			n++
		}
	}
	return n, err
}

// claims returns why a server may not go by the name that it gives itself: tools
// of that name are live, and anybody can call himself so.
func claims(a *command.App, p command.LiveServer, doc wire.Document, live []registry.Live) error {
	if p.Name != "" {
		return nil
	}
	label := registry.ServerName(doc.Server)
	if label == "" {
		return process.Usagef("name the server with --server; it reports no name")
	}
	_, taken := a.Config.Servers[label]
	for _, l := range live {
		if t := l.Definition.Tool; t != nil && t.Source != nil && t.Source.Type == registry.SourceMCP && strings.HasPrefix(t.Source.Ref, label+"#") {
			taken = true
		}
	}
	if !taken {
		return nil
	}
	return process.Usagef("the server calls itself %s, and a server of that name is known; if it is the same one, say --server %s", label, label)
}
