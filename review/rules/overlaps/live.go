// Package overlaps implements the O family: rules that find similar tools.
package overlaps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

// Rules returns the O family. Similar tools are a problem, because a model may choose either of
// them.
func Rules() []rules.Rule {
	return []rules.Rule{rules.Of(LikeCore, likeCore), {ID: "O102", QueriesSimilar: true, Check: likeLive}, {ID: "O103", Check: checkLabel}, {ID: "O104", Check: checkTag}, rules.Of("O105", checkTwin)}
}

// Two tools are too similar if they reach one of these thresholds. alikeText applies to the
// shingles of their texts, and alikePurpose to the content words of their purposes.
const (
	alikeText    = 0.4
	alikePurpose = 0.6
)

func likeLive(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	t := c.Judged()
	if t == nil {
		return nil, nil
	}
	candidates, err := c.Alike(ctx)
	if err != nil {
		return nil, err
	}
	var found []rules.Finding
	for _, other := range candidates {
		if other.Subject.ID == t.ID || other.Locked || other.Definition.Status() != registry.Active {
			continue
		}
		text, purpose := similarity(c.Self(), other)
		if text+purpose == 0 || sameServer(*t, *other.Tool()) {
			continue
		}
		f := rules.Finding{Path: "definition", Passage: other.Subject.String()}
		if text > 0 {
			f.Message = fmt.Sprintf("%.0f%% of the text is also in %s.", 100*text, versioned(other.Live))
			f.Path, f.Passage = firstPassage(*t, overlap.Passages(*t, *other.Tool()))
		} else {
			f.Message = fmt.Sprintf("The tool has the same purpose as %s: both are about %s.", versioned(other.Live), strings.Join(overlap.Words(*t, *other.Tool()), ", "))
		}
		fork, base := forkOf(t.ID)
		if otherFork, otherBase := forkOf(other.Subject.ID); fork && otherFork && base == otherBase {
			f.Severity = rules.Info
		}
		hintIfIdentical(&f, versioned(other.Live), "approved", *t, *other.Tool())
		if before := c.Replaces(); before != nil {
			if text, purpose := similarity(before, other); text+purpose > 0 {
				f.Severity = rules.Info
			}
		}
		if found = append(found, f); len(found) == rules.MostLikenesses {
			break
		}
	}
	return found, nil
}

// sameServer reports whether a and b were imported from the same server. It returns false for tools
// from a local file, because such tools must be compared with each other.
func sameServer(a, b registry.Tool) bool {
	if a.Source == nil || b.Source == nil || a.Source.Type != registry.SourceMCP || b.Source.Type != registry.SourceMCP {
		return false
	}
	server, _, named := strings.Cut(a.Source.Ref, "#")
	other, _, _ := strings.Cut(b.Source.Ref, "#")
	return named && server != "" && server == other
}

// hintIfIdentical sets the severity of f to Info if a and b are identical, because each client may
// need a separate copy of a tool. name and state describe the other tool.
func hintIfIdentical(f *rules.Finding, name, state string, a, b registry.Tool) {
	if a.SameBytes(b) {
		f.Severity = rules.Info
		f.Message = fmt.Sprintf("This tool is identical, byte for byte, to %s, which is %s.", name, state)
		f.Suggestion = "Use one name and one command for both, unless two clients run the server with different arguments."
	}
}

// similarity returns the resemblance of the texts of two tools. If this resemblance is below
// alikeText, similarity returns the resemblance of their purposes instead. It returns 0 for a
// resemblance below its threshold.
func similarity(t, other *rules.Peer) (text, purpose float64) {
	a, b := t.Fingerprint(), other.Fingerprint()
	if text = a.Text(b).Resemblance; text >= alikeText {
		return text, 0
	}
	if purpose = a.Purpose(b).Resemblance; purpose >= alikePurpose {
		return 0, purpose
	}
	return 0, 0
}

// versioned returns the name of l with its version. A definition in a file has no version.
func versioned(l registry.Live) string {
	if l.Version == 0 {
		return l.Subject.String()
	}
	return fmt.Sprintf("%s (version %d)", l.Subject, l.Version)
}

// firstPassage returns the first of the passages that t has in common with another tool, and the
// path of the field of t that contains this passage.
func firstPassage(t registry.Tool, shared []overlap.ToolPassage) (path, passage string) {
	if len(shared) == 0 {
		return "definition", ""
	}
	p := shared[0]
	text := t.Description
	if p.PathA == "prompt" {
		text = t.Prompt
	}
	return "definition." + p.PathA, text[p.A.Start:p.A.End]
}

func checkLabel(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	t := c.Draft.Definition.Tool
	if t == nil || t.Name == "" {
		return nil, nil
	}
	others, err := c.World.ByLabel(ctx, t.Name)
	others = slices.DeleteFunc(slices.Clone(others), func(l registry.Live) bool {
		o := l.Definition.Tool
		return o != nil && (sameServer(*t, *o) || t.SameBytes(*o))
	})
	return usedByOther(others, err, t.ID, "definition.name", t.Name, "%s is also the name of %s.")
}

func checkTag(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	t := c.Draft.Definition.Tool
	if t == nil || t.Tag == nil || t.Tag.Prefix == "" {
		return nil, nil
	}
	others, err := c.World.ByTag(ctx, t.Tag.Prefix)
	return usedByOther(others, err, t.ID, "definition.tag.prefix", t.Tag.Prefix, "%s is also the tag of %s.")
}

// usedByOther returns a finding if an active tool among the matches has a different id. Otherwise,
// it returns err.
func usedByOther(matches []registry.Live, err error, id, path, passage, message string) ([]rules.Finding, error) {
	for _, other := range matches {
		if other.Subject.ID != id && other.Definition.Status() == registry.Active {
			return []rules.Finding{{Path: path, Passage: passage, Message: fmt.Sprintf(message, passage, other.Subject)}}, nil
		}
	}
	return nil, err
}
