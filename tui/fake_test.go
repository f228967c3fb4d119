package tui_test

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"toolcrib/history"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/rules"
	"toolcrib/tui"
)

// fake is a desk and a registry that return the same text wherever they can, without the checks of the real ones.
type fake struct {
	tui.Decider
	tui.Proposer
	tui.Assessor
	text string
	sets bool // has a change set that is shown as a page
}

const fakeID proposals.ID = "01990000-0000-7000-8000-000000000001"

var fakeTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func (f fake) actor() proposals.Actor {
	return proposals.Actor{Kind: proposals.ActorKind(f.text), Name: f.text}
}

func (f fake) subject() registry.Subject {
	return registry.Subject{Kind: registry.KindTool, Layer: registry.Layer(f.text), ID: f.text}
}

func (f fake) proposal() proposals.Proposal {
	return proposals.Proposal{
		ID: fakeID, Type: proposals.Type(f.text), Subject: f.subject(), Title: f.text, State: proposals.UserReview, Revision: 1,
		ContentHash: f.text, Author: f.actor(), ChangeSet: f.text, Issue: 7, CreatedAt: fakeTime, UpdatedAt: fakeTime,
		Summary: proposals.Summary{Recommendation: proposals.Recommendation(f.text), Findings: 2, Worst: f.text},
	}
}

func (f fake) List(context.Context, review.Query) (review.Page, error) {
	other := f.proposal()
	other.ID, other.State = "01990000-0000-7000-8000-000000000002", proposals.State(f.text)
	return review.Page{Proposals: []proposals.Proposal{f.proposal(), other}}, nil
}

func (f fake) Counts(context.Context) (map[proposals.State]int, error) {
	return map[proposals.State]int{proposals.UserReview: 1, proposals.State(f.text): 1}, nil
}

func (f fake) Source(context.Context, registry.Definition) ([]byte, error) { return nil, nil }

func (f fake) Show(context.Context, proposals.Actor, proposals.ID) (review.Dossier, error) {
	p := f.proposal()
	rev := proposals.Revision{Proposal: fakeID, Number: 1, Draft: hostile(f.text), ContentHash: f.text, Author: f.actor(), CreatedAt: fakeTime}
	finding := rules.Finding{
		Rule: f.text, Severity: rules.Severity(f.text), Path: f.text, Line: 1, Column: 2, Message: f.text, Suggestion: f.text, Passage: f.text, Waivable: true,
	}
	inPrompt := finding
	inPrompt.Path, inPrompt.Severity = "definition.prompt", rules.Warn
	waiver := history.Waiver{Rule: f.text, Path: f.text, Reason: f.text, By: f.text, At: fakeTime}
	standing := []review.Standing{{Finding: inPrompt}, {Finding: finding}, {Finding: finding, Waiver: &waiver}}
	before := registry.Definition{Tool: &registry.Tool{ID: "hostile", Prompt: "before\n" + storable(f.text), Category: storable(f.text)}}
	return review.Dossier{
		Proposal: p, Revision: rev, Revisions: []proposals.Revision{rev}, Base: &before,
		Live:        &registry.Live{Subject: f.subject(), Version: 3, Definition: before},
		Assessments: []review.Assessment{{Revision: 1, Reviewer: f.actor(), Recommendation: proposals.Recommendation(f.text), Report: review.Report{Comment: f.text}, RulesVersion: f.text, At: fakeTime}},
		Standing:    standing, Waivers: []history.Waiver{waiver},
		Decisions: []proposals.Decision{{Revision: 1, Verdict: proposals.Verdict(f.text), Note: f.text, By: f.actor(), At: fakeTime}},
		Issue:     &proposals.Issue{Number: 7, Title: f.text, Assignee: f.text, Status: proposals.IssueStatus(f.text), Labels: []string{f.text, f.text}},
		Comments:  []proposals.Comment{{Author: f.actor(), At: fakeTime, Body: f.text, Revision: 1, Field: f.text, Line: 3}},
		Others:    []proposals.Proposal{p}, Members: []proposals.Proposal{p, p},
		Rendered: map[string]string{f.text + "#" + f.text: f.text, "agent:user/a#web": ""}, Digest: f.text,
	}, nil
}

func (f fake) ShowSet(ctx context.Context, by proposals.Actor, _ string) (review.ChangeSet, error) {
	d, err := f.Show(ctx, by, fakeID)
	raw, encodeErr := json.Marshal(map[string]any{
		"name": f.text, "title": f.text, "description": f.text, f.text: f.text, "annotations": map[string]any{f.text: f.text, "title": f.text},
		"inputSchema": map[string]any{"properties": map[string]any{f.text: map[string]any{"description": f.text, "enum": []string{f.text}, "default": f.text}}},
	})
	t := *d.Revision.Draft.Definition.Tool
	t.Source = &registry.Source{Type: registry.SourceMCP}
	d.Revision.Draft.Definition.Tool, d.Source = &t, raw
	set := review.ChangeSet{Name: f.text, Members: []review.Dossier{d, d}, Digest: f.text}
	if !f.sets {
		set.Members = set.Members[:1]
	}
	return set, errors.Join(err, encodeErr)
}

func (f fake) Shown(context.Context, proposals.Actor, ...review.Dossier) error { return nil }

func (f fake) Preview(context.Context, []proposals.ID, string, impact.Scene) ([]impact.Preview, error) {
	output := func(text string) []prompt.Output { return []prompt.Output{{Channel: f.text, Text: text}} }
	return []impact.Preview{{Agent: f.subject(), Now: output("now\n" + f.text), Then: output(f.text)}}, nil
}

func (f fake) Uses(context.Context, registry.Subject, registry.Layer) ([]impact.Use, error) {
	return []impact.Use{{Agent: f.subject(), In: true, Why: f.text}, {List: f.text, Tool: f.text, Why: f.text}}, nil
}

func (f fake) Groups(context.Context, tui.EntryQuery) ([]tui.GroupCount, error) {
	return []tui.GroupCount{{Group: tui.EntryGroup{Layer: f.subject().Layer, Source: f.text}, Count: 1}, {Group: tui.EntryGroup{Layer: f.subject().Layer, Source: f.text + f.text}, Count: 300}}, nil
}

func (f fake) Entries(context.Context, tui.EntryQuery) ([]tui.Entry, string, error) {
	return []tui.Entry{{
		Subject: f.subject(), Name: f.text, ToolKind: f.text, Category: f.text, Approval: f.text, Source: f.text, Hides: []registry.Subject{f.subject()},
	}}, "", nil
}

func (f fake) Definition(context.Context, registry.Subject) (json.RawMessage, error) {
	return hostile(f.text).Definition.Canonical(), nil
}

func (f fake) Versions(context.Context, registry.Subject, int, int) ([]history.Version, error) {
	return []history.Version{{
		Subject: f.subject(), Number: 1, Definition: hostile(f.text).Definition.Canonical(), Hash: f.text, Author: f.text, Proposal: f.text,
		DecidedBy: f.text, DecidedAt: fakeTime, Note: f.text,
	}}, nil
}

func (f fake) Events(context.Context, int64, int) ([]history.Event, error) {
	return []history.Event{{Seq: 1, At: fakeTime, Actor: f.text, Act: f.text, Subject: f.text, Data: json.RawMessage("{}")}}, nil
}

func (f fake) Stamp(context.Context) (int64, error) { return 0, errors.New(f.text) }
