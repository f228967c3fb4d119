package registry

import (
	"slices"

	"toolcrib/registry/jsondoc"
)

// List is a named allow-list, the whole content of one list subject. Agents
// refer to it by its id; ID and Name are one when only one of them is written.
type List struct {
	ID                 string   `json:"id,omitempty"`
	Name               string   `json:"name,omitempty"` // a label for people; absent when it is the id
	Description        string   `json:"description,omitempty"`
	Tools              []string `json:"tools,omitempty"`
	Categories         []string `json:"categories,omitempty"`
	Tiers              Tiers    `json:"tier,omitempty"`
	AddWhenNonLocal    []string `json:"addWhenNonLocal,omitempty"`
	ExcludeInLocal     []string `json:"excludeInLocal,omitempty"`
	AddWhenEmbeddingOK []string `json:"addWhenEmbeddingOK,omitempty"`
	Kinds              Kinds    `json:"kinds,omitempty"`
	Status             Status   `json:"status,omitempty"`
}

// AllowList returns what the list lets an agent have, under the list's id.
func (l List) AllowList() AllowList {
	return AllowList{
		Name: l.ID, Tools: l.Tools, Categories: l.Categories, Tiers: l.Tiers, AddWhenNonLocal: l.AddWhenNonLocal,
		ExcludeInLocal: l.ExcludeInLocal, AddWhenEmbeddingOK: l.AddWhenEmbeddingOK, Kinds: l.Kinds,
	}
}

// Lets reports whether a lets an agent have a tool, wherever the agent works.
func (a AllowList) Lets(t Tool) bool {
	if slices.Contains(a.Kinds, t.Kind) {
		return true
	}
	if t.Category != "" && slices.Contains(a.Categories, t.Category) && (len(a.Tiers) == 0 || slices.Contains(a.Tiers, t.Tier)) {
		return true
	}
	listed := func(name string) bool {
		return slices.Contains(a.Tools, name) || slices.Contains(a.AddWhenNonLocal, name) || slices.Contains(a.AddWhenEmbeddingOK, name)
	}
	return listed(t.ID) || slices.ContainsFunc(t.Aliases, listed)
}

// Problems returns everything that keeps l from being a complete definition, each
// with its path below path and the expected value. It is nil when nothing does.
func (l List) Problems(path string) jsondoc.Problems {
	c := &checker{path: path}
	c.id("id", l.ID)
	c.text("name", l.Name, MaxName)
	c.text("description", l.Description, MaxAgentDescription)
	c.allows(l.AllowList())
	if l.AllowList().allows() == 0 {
		c.problems.Add(path, "lets an agent have nothing; expected tools, categories, kinds, addWhenNonLocal or addWhenEmbeddingOK")
	}
	oneOf(c, "status", l.Status, Active, Deactivated)
	return c.problems
}

// allows reports the problems of an allow-list.
func (c *checker) allows(a AllowList) {
	c.ids("tools", a.Tools)
	c.categories("categories", a.Categories)
	few(c, "tier", a.Tiers, TierLow, TierMedium, TierHigh)
	c.ids("addWhenNonLocal", a.AddWhenNonLocal)
	c.ids("excludeInLocal", a.ExcludeInLocal)
	c.ids("addWhenEmbeddingOK", a.AddWhenEmbeddingOK)
	few(c, "kinds", a.Kinds, PromptTool, ActionTool)
}

// Tiers filter the tools that the categories of an allow-list bring in; none
// filter nothing. In JSON one tier may stand without a list around it.
type Tiers []Tier

// BindJSON reads a tier or a list of them.
func (t *Tiers) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindOneOrMore(n, path, (*[]Tier)(t))
}

// Kinds are the kinds of which an allow-list takes in every active tool. In
// JSON one kind may stand without a list around it.
type Kinds []ToolKind

// BindJSON reads a kind or a list of them.
func (k *Kinds) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindOneOrMore(n, path, (*[]ToolKind)(k))
}

func bindOneOrMore[T ~string](n *jsondoc.Node, path string, dst *[]T) jsondoc.Problems {
	if n.Kind != jsondoc.String {
		return jsondoc.Bind(n, path, dst)
	}
	*dst = []T{T(n.Text)}
	return nil
}
