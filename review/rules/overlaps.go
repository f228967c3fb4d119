package rules

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/overlap"
)

// overlaps is the O family: a second tool for what one does already makes a
// model choose, and it will choose differently each time.
func overlaps() []Rule {
	return []Rule{
		likenessRule(LikeCore, "like-core-tool",
			"The text or the purpose is nearly that of a core tool. Two tools for one thing make a model choose between them, and a near copy of a core tool passes for the one that everybody relies on.",
			true),
		likenessRule("O102", "like-live-tool",
			"The text or the purpose is nearly that of another live tool. Two tools for one thing make a model choose between them, and both have to be kept right.",
			false),
		labelRule(),
		tagRule(),
	}
}

// LikeCore is the rule that finds what is like a core tool.
const LikeCore = "O101"

// From how much on two tools count as nearly the same: of the shingles of
// their texts, and of the content words of their purposes.
const (
	alikeText    = 0.4
	alikePurpose = 0.6
)

// mostLikenesses is how many tools like it a reviewer is told of.
const mostLikenesses = 3

func likenessRule(id, name, doc string, core bool) Rule {
	copied := renamed("pace_checker_two")
	other := otherTool()
	other.Locked = core
	return Rule{
		ID: id, Name: name, Severity: Warn, Waivable: true, Doc: doc,
		Suggestion: "Change the other tool instead, or say in usage notes and rationale what this one does that the other can not.",
		Bad:        Example{Show: "the prompt of another tool under a new id", Draft: copied, Live: []registry.Live{other}},
		Good:       Example{Show: "a tool of its own", Draft: action("get_invoices"), Live: []registry.Live{other}},
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			t := c.Draft.Definition.Tool
			if t == nil || c.Draft.Type == proposals.Deactivate {
				return nil, nil
			}
			candidates, err := c.World.Alike(ctx, *t)
			if err != nil {
				return nil, err
			}
			var found []Finding
			for _, other := range candidates {
				if other.Subject.ID == t.ID || other.Locked != core || other.Definition.Status() != registry.Active {
					continue
				}
				if f, ok := likeness(*t, other); ok {
					found = append(found, f)
				}
				if len(found) == mostLikenesses {
					break
				}
			}
			return found, nil
		},
	}
}

// likeness says how a tool is like another one, false when it is not.
func likeness(t registry.Tool, other registry.Live) (Finding, bool) {
	l := overlap.Compare(t, *other.Definition.Tool)
	f := Finding{Path: "definition"}
	switch {
	case l.Text.Resemblance >= alikeText:
		f.Message = fmt.Sprintf("%.0f %% of the text is that of %s (version %d).", 100*l.Text.Resemblance, other.Subject, other.Version)
		if len(l.Passages) > 0 {
			p := l.Passages[0]
			f.Path, f.Passage = "definition."+p.PathA, text(t, p.PathA)[p.A.Start:p.A.End]
		}
	case l.Purpose.Resemblance >= alikePurpose:
		f.Message = fmt.Sprintf("The purpose is that of %s (version %d): both are about %s.", other.Subject, other.Version, strings.Join(l.Words, ", "))
		f.Passage = other.Subject.String()
	default:
		return f, false
	}
	return f, true
}

// text returns the text of a tool under a key that overlap.Compare names.
func text(t registry.Tool, key string) string {
	if key == "prompt" {
		return t.Prompt
	}
	return t.Description
}

func labelRule() Rule {
	sameName := renamed("scene_pacer_two")
	sameName.Definition.Tool.Name = "Pace Checker"
	other := otherTool()
	other.Definition.Tool.Name = "Pace Checker"
	return Rule{
		ID: "O103", Name: "same-name", Severity: Warn, Waivable: true,
		Doc:        "Another live tool has the same human name. A person who reads the name can not tell which one is meant.",
		Suggestion: "Choose a name that says how the two differ.",
		Bad:        Example{Show: `"name": "Pace Checker", which tool:global/pace_checker has`, Draft: sameName, Live: []registry.Live{other}},
		Good:       Example{Show: `"name": "Scene Pacer"`, Draft: sample(), Live: []registry.Live{other}},
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			t := c.Draft.Definition.Tool
			if t == nil || t.Name == "" {
				return nil, nil
			}
			others, err := c.World.ByLabel(ctx, t.Name)
			return elsewhere(others, err, t.ID, "definition.name", t.Name, "%s is also the name of %s.")
		},
	}
}

func tagRule() Rule {
	tagged := func(d proposals.Draft, prefix string) proposals.Draft {
		d.Definition.Tool.Tag = &registry.Tag{Prefix: prefix, Example: prefix + ": harbour"}
		return d
	}
	other := otherTool()
	other.Definition.Tool.Tag = &registry.Tag{Prefix: "PACE", Example: "PACE: harbour"}
	return Rule{
		ID: "O104", Name: "same-tag", Severity: Block, Waivable: true,
		Doc:        "Another live tool answers to the same response tag. One line of a model's answer would call both, or the wrong one.",
		Suggestion: "Choose a prefix that no other tool has.",
		Bad:        Example{Show: `"prefix": "PACE", which tool:global/pace_checker has`, Draft: tagged(sample(), "PACE"), Live: []registry.Live{other}},
		Good:       Example{Show: `"prefix": "SCENE_PACE"`, Draft: tagged(sample(), "SCENE_PACE"), Live: []registry.Live{other}},
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			t := c.Draft.Definition.Tool
			if t == nil || t.Tag == nil || t.Tag.Prefix == "" {
				return nil, nil
			}
			others, err := c.World.ByTag(ctx, t.Tag.Prefix)
			return elsewhere(others, err, t.ID, "definition.tag.prefix", t.Tag.Prefix, "%s is also the tag of %s.")
		},
	}
}

// elsewhere makes a finding when others has an active tool of another id.
func elsewhere(others []registry.Live, err error, id, path, passage, message string) ([]Finding, error) {
	for _, other := range others {
		if other.Subject.ID != id && other.Definition.Status() == registry.Active {
			return []Finding{{Path: path, Passage: passage, Message: fmt.Sprintf(message, passage, other.Subject)}}, nil
		}
	}
	return nil, err
}
