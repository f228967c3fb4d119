// This file reads registries in the format that preceded the canonical catalog.

package intake

import (
	"cmp"
	"maps"
	"slices"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules/agents"
)

// Legacy is a registry in the format that preceded the canonical catalog:
//
//	{
//	  "tools":  ["get_task", {"id": "create_task", "description": "…"}],
//	  "agents": [{"id": "helper", "name": "Helper", "tools": ["get_task", "recall"],
//	              "soul": "…", "prompt_template": "…"}],
//	  "approvalTiers": {"create_task": "auto_approve"}
//	}
//
// Only "id" of a tool is read, or "name" if the tool has no "id". "agents" may also be an object that maps ids to lists
// of tools. A tier may also be an object with the key "tier". All keys are optional.
type Legacy struct {
	Tools         []legacyTool          `json:"tools"`
	Agents        legacyAgents          `json:"agents"`
	ApprovalTiers map[string]legacyTier `json:"approvalTiers"`
}

// LegacyAgent is an agent of a legacy registry, with its tools.
type LegacyAgent struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tools       []string `json:"tools"`
	Soul        string   `json:"soul"`
	Template    string   `json:"prompt_template"`
	// TemplateToo is the prompt template under the key that current agent profiles use.
	TemplateToo string `json:"promptTemplate"`
}

// template returns the prompt template of a, under whichever key it was specified.
func (a LegacyAgent) template() string { return cmp.Or(a.Template, a.TemplateToo) }

type legacyTool string

// BindJSON reads the id of a tool, or an object with the key "id" or "name".
func (t *legacyTool) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	name := n
	if n.Kind == jsondoc.Object {
		name = cmp.Or(n.Get("id"), n.Get("name"))
	}
	if name.AsString() == "" {
		return jsondoc.Problems{{Path: path, Pos: n.Pos, Message: `expected the id of a tool, or an object with "id"`}}
	}
	*t = legacyTool(name.Text)
	return nil
}

type legacyTier registry.ApprovalTier

// BindJSON reads a tier, or an object with the key "tier".
func (t *legacyTier) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	tier := n
	if n.Kind == jsondoc.Object {
		tier = n.Get("tier")
	}
	if tier == nil || tier.Kind != jsondoc.String {
		return jsondoc.Problems{{Path: path, Pos: n.Pos, Message: `expected an approval tier, or an object with "tier"`}}
	}
	*t = legacyTier(tier.Text)
	return nil
}

type legacyAgents []LegacyAgent

// BindJSON reads a list of agents, or an object that maps ids of agents to lists of tools.
func (a *legacyAgents) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	if n.Kind != jsondoc.Object {
		return jsondoc.Bind(n, path, (*[]LegacyAgent)(a))
	}
	var ps jsondoc.Problems
	for _, m := range n.Members {
		agent := LegacyAgent{ID: m.Key}
		ps.Append(jsondoc.Bind(m.Value, jsondoc.Join(path, m.Key), &agent.Tools)...)
		*a = append(*a, agent)
	}
	return ps
}

// DecodeLegacy parses a legacy registry. The error is a jsondoc.Problems.
func DecodeLegacy(data []byte) (Legacy, error) {
	n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
	if err != nil {
		return Legacy{}, err
	}
	var l Legacy
	ps := jsondoc.Bind(n, jsondoc.Root, &l)
	seen := map[string]bool{}
	for i, a := range l.Agents {
		path := jsondoc.Join(jsondoc.Index("agents", i), "id")
		if !registry.ValidID(a.ID) {
			ps.Add(path, "expected an id such as assistant, got %s", jsondoc.Quote(a.ID))
		}
		if seen[a.ID] {
			ps.Add(path, "repeats an agent")
		}
		seen[a.ID] = true
	}
	if len(ps) > 0 {
		return Legacy{}, ps.Locate(n)
	}
	return l, nil
}

// retired collects the retired names in l and their places. It examines the tools, the tiers, and the tools, souls, and
// templates of the agents.
func (c *canonicalizer) retired(l Legacy) {
	places := map[string][]string{}
	add := func(name, place string) {
		if _, retired := shipped.Retired(name); retired && !slices.Contains(places[name], place) {
			places[name] = append(places[name], place)
		}
	}
	for _, t := range l.Tools {
		add(string(t), "tools")
	}
	for _, name := range slices.Sorted(maps.Keys(l.ApprovalTiers)) {
		add(name, "approvalTiers")
	}
	for _, a := range l.Agents {
		for _, name := range a.Tools {
			add(name, "tools of "+a.ID)
		}
		for _, name := range agents.RetiredNames(a.Soul) {
			add(name, "soul of "+a.ID)
		}
		for _, name := range agents.RetiredNames(a.template()) {
			add(name, "template of "+a.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		successor, _ := shipped.Retired(name)
		c.Retired = append(c.Retired, RetiredName{Name: name, Successor: successor, In: places[name]})
	}
}
