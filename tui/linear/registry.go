package linear

import (
	"errors"
	"fmt"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/tui"
	"toolcrib/tui/wording"
)

func (s *session) doTools(filter string) error { return s.entries(registry.KindTool, filter) }

func (s *session) doAgents(filter string) error { return s.entries(registry.KindAgent, filter) }

func (s *session) doLists(filter string) error { return s.entries(registry.KindList, filter) }

func (s *session) entries(kind registry.Kind, filter string) error {
	var lines []string
	for after := ""; ; {
		page, next, err := s.cfg.Registry.Entries(s.ctx, tui.EntryQuery{Kind: kind, Filter: filter, Limit: 200, After: after})
		if err != nil {
			return err
		}
		for _, e := range page {
			lines = append(lines, entryLine(e))
		}
		if next == "" || len(lines) >= maxEntries {
			break
		}
		after = next
	}
	if len(lines) == 0 {
		lines = []string{"No match."}
	}
	if len(lines) >= maxEntries {
		lines = append(lines, "More match: add a part of the id.")
	}
	s.pages(lines)
	return nil
}

// maxEntries is how many tools are listed without a filter.
const maxEntries = 1000

func entryLine(e tui.Entry) string {
	parts := []string{e.Subject.String(), fmt.Sprintf("version %d", e.Version)}
	if e.Locked {
		parts = append(parts, "locked (core)")
	}
	if e.Category != "" {
		parts = append(parts, "category "+e.Category)
	}
	if e.Approval != "" {
		parts = append(parts, "approval "+strings.ReplaceAll(e.Approval, "_", " "))
	}
	if len(e.Hides) > 0 {
		parts = append(parts, "over "+wording.Count(len(e.Hides), "other layer", "other layers"))
	}
	return strings.Join(parts, ", ") + ". " + e.Name
}

func (s *session) doShow(ref string) error {
	subject, err := registry.ParseSubject(ref)
	if err != nil {
		return err
	}
	body, err := s.cfg.Registry.Definition(s.ctx, subject)
	if err != nil {
		return err
	}
	doc, err := jsondoc.Parse(body, jsondoc.DefaultLimits)
	if err != nil {
		return err
	}
	d, err := registry.DecodeDefinition(subject.Kind, body)
	if err != nil {
		return err
	}
	var lines []string
	for _, key := range d.Keys() {
		switch v := doc.Get(key); {
		case v == nil:
		case v.Kind == jsondoc.String && strings.Contains(v.Text, "\n"):
			lines = append(append(lines, key+":"), text("  ", v.Text)...)
		case v.Kind == jsondoc.String:
			lines = append(lines, key+": "+v.Text)
		default:
			lines = append(lines, key+": "+string(jsondoc.Canonical(v)))
		}
	}
	versions, err := s.versions(subject)
	if err != nil {
		return err
	}
	lines = append(lines, versions...)
	uses, err := s.cfg.Desk.Uses(s.ctx, subject, s.cfg.Layer)
	if err != nil {
		return err
	}
	for _, u := range uses {
		in := "has it"
		if !u.In {
			in = "does not have it"
		}
		switch {
		case subject.Kind != registry.KindTool && u.Tool != "":
			lines = append(lines, fmt.Sprintf("Tool %s, %s: %s.", u.Tool, inOrOut(u.In), u.Why))
		case subject.Kind == registry.KindList:
			lines = append(lines, fmt.Sprintf("%s refers to it.", u.Agent))
		case u.List != "":
			lines = append(lines, fmt.Sprintf("Allow-list %s %s: %s.", u.List, in, u.Why))
		default:
			lines = append(lines, fmt.Sprintf("%s %s: %s.", u.Agent, in, u.Why))
		}
	}
	s.pages(lines)
	return nil
}

func inOrOut(in bool) string {
	if in {
		return "in"
	}
	return "out"
}

// versions tells the versions of a subject, the newest first.
func (s *session) versions(subject registry.Subject) ([]string, error) {
	vs, err := s.cfg.Registry.Versions(s.ctx, subject, 0, 100)
	if err != nil && !errors.Is(err, review.ErrNotFound) {
		return nil, err
	}
	var lines []string
	for _, v := range vs {
		who := "decided by " + v.DecidedBy
		if v.Proposal == "" {
			who = "shipped"
		}
		lines = append(lines, fmt.Sprintf("Version %d, %s, by %s, %s, hash %s.", v.Number, who, v.Author, stamp(v.DecidedAt), wording.Short(v.Hash)))
	}
	if len(lines) == 0 {
		lines = []string{"No live version yet."}
	}
	return lines, nil
}

func (s *session) doFork(id string) error {
	p, done, err := s.cfg.Fork(s.ctx, id)
	if err != nil {
		return err
	}
	if err := s.show(p.ID); err != nil {
		return err
	}
	return s.said(done+". Say revise to change it in your editor", nil)
}

func (s *session) doLog(string) error {
	events, err := s.cfg.Registry.Events(s.ctx, 0, 50)
	if err != nil {
		return err
	}
	lines := make([]string, len(events))
	for i, e := range events {
		lines[i] = fmt.Sprintf("%d, %s, %s, %s %s", e.Seq, stamp(e.At), e.Actor, e.Act, e.Subject)
	}
	s.pages(lines)
	return nil
}
