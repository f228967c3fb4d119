// This file compares an import with the open proposals of earlier imports.

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
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/intake"
)

// leaveOutPending removes drafts from steps if their changes are already proposed or were rejected.
func leaveOutPending(ctx context.Context, a *command.App, steps []intake.Step) error {
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
				if err := copyExclusions(ctx, r, s, p); err != nil {
					return err
				}
				if p.Type == s.Draft.Type && p.ContentHash == s.Draft.Definition.Hash() && (p.State != proposals.Drafted || s.Missing != "") {
					steps[i] = s.Pending(p)
				}
			}
			if steps[i].Draft == nil {
				continue
			}
			err = admission.CheckRejected(ctx, r, s.Subject, s.Draft.Definition.Hash())
			if errors.Is(err, review.ErrRepeated) {
				steps[i].Change, steps[i].Draft, steps[i].Reason = intake.Skip, nil, err.Error()
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// copyExclusions copies the exclusions in the open proposal p to the draft of s if both change the same tool. If the
// draft then differs from p only in excluded parts, copyExclusions sets the definition of the draft to the definition
// in p. The import then proposes nothing new.
func copyExclusions(ctx context.Context, r review.Reader, s intake.Step, p proposals.Proposal) error {
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

// leaveOutUndeclared removes drafts that would deactivate a tool although the tool may be missing for this client only.
// A server lists no tools that need a capability that the client does not declare. The draft for a tool is therefore
// removed if declared, the capabilities of this client, lacks a capability of the client to which the server listed the
// tool.
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
			steps[i].Reason = "an earlier import declared the capability " + jsondoc.Quote(lacks) + ", but this import does not, so the server may not list the tool"
		}
	}
	return nil
}

// undeclared returns a capability that the client declared when the tool t was imported and that is missing in
// declared, or "" if no capability is missing.
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

// retract withdraws open proposals of earlier imports that no longer match the server's list. For example, the server
// may have undone a change or removed a new tool.
func (t Result) retract(ctx context.Context, b command.Session, a *command.App, live []registry.Live) (withdrawn []proposals.Proposal, err error) {
	open, err := openOf(ctx, a, t.Origin.Label)
	if err != nil {
		return nil, err
	}
	listed := lists.Set(t.doc.Items, func(it wire.Item) string { return it.Format.SourceType() + " " + it.Name })
	for _, p := range open {
		tool, draft := p.Revision.Draft.Definition.Tool, p.Revision.Draft
		note := ""
		if at := slices.IndexFunc(live, func(l registry.Live) bool { return l.Subject == draft.Subject }); at >= 0 && intake.Generated(draft, &live[at].Definition) {
			note = t.obsolete(draft)
		}
		gone := draft.Type == proposals.New && !listed[tool.Source.Type+" "+tool.OriginName()] && (tool.Source.Type != registry.SourceMCPText || t.doc.Texts)
		if note == "" && gone && intake.Generated(draft, nil) {
			lacks, err := undeclared(ctx, a, tool, t.doc.Capabilities)
			if err != nil {
				return withdrawn, err
			}
			if lacks == "" {
				note = notListed
			}
		}
		if note == "" || proposals.Authorize(b.Actor, proposals.ActWithdraw, p.Proposal.Author) != nil {
			continue
		}
		var ended proposals.Proposal
		if b.Actor.Kind == proposals.System {
			ended, err = b.Desk.Drafting.Retract(ctx, p.Proposal.ID, p.Proposal.Revision, note)
		} else {
			ended, err = b.Desk.Drafting.Withdraw(ctx, b.Actor, p.Proposal.ID, note)
		}
		if err != nil {
			return withdrawn, err
		}
		withdrawn = append(withdrawn, ended)
	}
	return withdrawn, nil
}

const notListed = "The server no longer lists the tool."

// obsolete returns the reason why draft, a change of a live tool, no longer matches the server's list. It returns "" if
// the draft still matches.
func (t Result) obsolete(draft proposals.Draft) string {
	at := slices.IndexFunc(t.steps, func(s intake.Step) bool { return s.Subject == draft.Subject })
	switch {
	case at < 0:
	case t.steps[at].Change == intake.None:
		return "The server undid the change."
	case t.steps[at].Change == intake.Deactivate && draft.Type == proposals.Modify:
		return notListed
	case t.steps[at].Change == intake.Modify && draft.Type == proposals.Deactivate:
		return "The server lists the tool again."
	}
	return ""
}

// openOf returns the open proposals for the tools and texts of the server with the given label.
func openOf(ctx context.Context, a *command.App, label string) (open []review.Bundle, err error) {
	states := slices.DeleteFunc(proposals.States(), func(s proposals.State) bool { return !s.Open() })
	open, err = command.ReadView(ctx, a.DB.View, func(r review.Reader) ([]review.Bundle, error) { return guarding.OpenOf(ctx, r, label, states...) })
	return slices.DeleteFunc(open, func(p review.Bundle) bool {
		source := p.Revision.Draft.Definition.Tool.Source
		return source == nil || !strings.HasPrefix(source.Ref, label+"#")
	}), err
}

// Waiting returns the number of open proposals for tools and texts of the given server. It does not count proposals to
// deactivate tools or texts that the server no longer lists.
func Waiting(ctx context.Context, a *command.App, server string) (int, error) {
	open, err := openOf(ctx, a, server)
	return len(lists.Filter(open, func(b review.Bundle) bool { return b.Proposal.Type != proposals.Deactivate })), err
}

// checkName checks the name in doc, which the server itself reports. It returns an error if there is no name, or if the
// name belongs to another server that is configured or has live tools. Otherwise, a server could pretend to be another
// server. checkName does nothing if the user has specified the name of p.
func checkName(a *command.App, p command.LiveServer, doc wire.Document, live []registry.Live) error {
	if p.Name != "" {
		return nil
	}
	label := registry.ServerName(doc.Server)
	if label == "" {
		return process.Usagef("the server reports no name; set a name with --server")
	}
	_, taken := a.Config.Servers[label]
	for _, l := range live {
		if t := l.Definition.Tool; t != nil && t.Source != nil && t.Source.Type == registry.SourceMCP && strings.HasPrefix(t.Source.Ref, label+"#") {
			taken = true
		}
	}
	if taken {
		return process.Usagef("the server reports the name %s, which another server already has in toolcrib; if both are the same server, add --server %s", label, label)
	}
	return nil
}
