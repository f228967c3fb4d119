// This file checks allow-lists.

package agents

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

func checkAllowList(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	list, path, ok := c.SpelledOut()
	if !ok {
		return nil, nil
	}
	var found []rules.Finding
	for _, part := range []struct {
		key   string
		names []string
	}{
		{"tools", list.Tools},
		{"addWhenNonLocal", list.AddWhenNonLocal},
		{"addWhenEmbeddingOK", list.AddWhenEmbeddingOK},
	} {
		for i, name := range part.names[:min(len(part.names), maxLookups)] {
			f := rules.Finding{Path: jsondoc.Index(jsondoc.Join(path, part.key), i), Passage: name}
			var retired bool
			if f.Message, f.Suggestion, retired = retirement(name); !retired {
				if c.Coming[name] {
					continue
				}
				known, err := isTool(ctx, c, name)
				if err != nil {
					return nil, err
				}
				if known {
					continue
				}
				f.Message = jsondoc.Quote(name) + " is not in the registry."
			}
			found = append(found, f)
		}
	}
	return found, nil
}

func checkUnknownList(ctx context.Context, c *rules.Change, a registry.Agent) ([]rules.Finding, error) {
	if a.AllowList == nil || !a.AllowList.Reference() {
		return nil, nil
	}
	known, err := c.Lists(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range known {
		if e.Subject.ID == a.AllowList.Name {
			return nil, nil
		}
		ids = append(ids, e.Subject.ID)
	}
	f := rules.Finding{
		Path: "definition.allowList", Passage: a.AllowList.Name,
		Message: fmt.Sprintf("Unknown allow-list %s; the existing allow-lists are %s.", jsondoc.Quote(a.AllowList.Name), strings.Join(ids, ", ")),
	}
	if meant := jsondoc.Closest(a.AllowList.Name, ids); meant != "" {
		f.Suggestion = fmt.Sprintf("Use %s, or propose the list in the same change set.", meant)
	}
	return []rules.Finding{f}, nil
}

func checkNoTools(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	list, path, ok := c.SpelledOut()
	what := "The allow-list"
	if a := c.Draft.Definition.Agent; a != nil {
		if a.Status == registry.Deactivated || len(a.Categories) > 0 {
			return nil, nil
		}
		what, path = "The allow-list of the agent", "definition.allowList"
		switch {
		case a.AllowList == nil:
			what, ok = "The agent has no allow-list, which", true
		case a.AllowList.Reference():
			var err error
			if list, ok, err = c.ListNamed(ctx, a.AllowList.Name); err != nil {
				return nil, err
			}
		}
	}
	if !ok || list.Offers() {
		return nil, nil
	}
	return []rules.Finding{{Path: path, Message: what + " admits no tools. An agent without tools does not run."}}, nil
}
