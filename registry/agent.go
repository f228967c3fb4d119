// This file defines agents and allow-lists.

package registry

import (
	"slices"

	"toolcrib/registry/jsondoc"
)

// Agent is the profile of an agent. The JSON omits optional fields that have their zero
// value.
type Agent struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	// Agents: the tone, as a single line.
	Vibe string `json:"vibe,omitempty"`
	// Agents: the principles of the agent's behavior, as prose without headings, tool
	// names or instructions.
	Soul string `json:"soul,omitempty"`
	// Agents: the template of the prompt. It can contain the placeholders $identity, $soul,
	// $channel_guidance, $current_time, $memory_notes, $user_instructions, $tool_guidance,
	// $tool_catalog, $interaction_learning, $operating_model, $session_section and
	// $bootstrap_context. Without a template, the prompt contains all these parts in a fixed
	// order.
	PromptTemplate string `json:"promptTemplate,omitempty"`
	// Agents: how the agent works. This text replaces $operating_model in the prompt.
	OperatingModel string `json:"operatingModel,omitempty"`
	// Agents: what the agent should learn from the user. This text replaces $interaction_learning in the
	// prompt.
	InteractionLearning string `json:"interactionLearning,omitempty"`
	// Agents: guidance for each channel, such as {"web": "…"}.
	ChannelGuidance map[string]string `json:"channelGuidance,omitempty"`
	// Agents: texts for the start of a session.
	SessionOpen *SessionOpen `json:"sessionOpen,omitempty"`
	// Agents: instructions for the first conversations with a new user.
	Onboarding string `json:"onboarding,omitempty"`
	// Agents: the tools of the agent, as the id of an allow-list, a list of tool ids, or an object
	// with the keys of a list.
	AllowList *AllowList `json:"allowList,omitempty"`
	// Agents: categories. The agent has the tools of these categories in addition to the tools in allowList.
	Categories []string `json:"categories,omitempty"`
	// Agents: an IANA name such as Europe/Berlin.
	Timezone string `json:"timezone,omitempty"`
	// Agents: feature flags for the application that runs the agent, such as {"missions_enabled":
	// true}. toolcrib does not interpret them.
	Features map[string]bool `json:"features,omitempty"`
	Status   Status          `json:"status,omitempty"`
}

// SessionOpen contains the texts for the start of a session.
type SessionOpen struct {
	// The text for a new user.
	Bootstrap string `json:"bootstrap,omitempty"`
	// The text for a user who has had sessions before.
	Returning string `json:"returning,omitempty"`
}

// AllowList selects the tools that an agent may have. In JSON, an AllowList is the id of a List, an array of tool
// ids, or an object with the keys below. If an AllowList refers to a List, Name is the id of the List and all
// other fields are empty.
type AllowList struct {
	Name               string   `json:"name,omitempty"`
	Tools              []string `json:"tools,omitempty"`
	Categories         []string `json:"categories,omitempty"` // all tools of these categories
	Tiers              Tiers    `json:"tier,omitempty"`       // filters the tools of Categories; empty means all
	AddWhenNonLocal    []string `json:"addWhenNonLocal,omitempty"`
	ExcludeInLocal     []string `json:"excludeInLocal,omitempty"`
	AddWhenEmbeddingOK []string `json:"addWhenEmbeddingOK,omitempty"`
	Kinds              Kinds    `json:"kinds,omitempty"` // all active tools of these kinds
}

// BindJSON implements jsondoc.Binder. It accepts all three JSON forms of an AllowList.
func (a *AllowList) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	type object AllowList
	switch n.Kind { //nolint:exhaustive // the code below reports other kinds
	case jsondoc.String:
		a.Name = n.Text
		if a.Name != "" {
			return nil
		}
	case jsondoc.Array:
		return jsondoc.Bind(n, path, &a.Tools)
	case jsondoc.Object:
		return jsondoc.Bind(n, path, (*object)(a))
	}
	return jsondoc.Problems{{Path: path, Pos: n.Pos, Message: "expected the name of an allow-list, a list of tool ids or an object"}}
}

// MarshalJSON writes a reference as a string and any other allow-list as an object.
func (a AllowList) MarshalJSON() ([]byte, error) {
	if a.Reference() {
		return jsondoc.Marshal(a.Name)
	}
	type object AllowList
	return jsondoc.Marshal(object(a))
}

// Reference reports whether the allow-list has only a Name and therefore refers to a List.
func (a AllowList) Reference() bool {
	return a.Name != "" && a.criteria()+len(a.Tiers)+len(a.ExcludeInLocal) == 0
}

// criteria returns the total number of names, categories, and kinds that can admit tools.
func (a AllowList) criteria() int {
	return len(a.Tools) + len(a.Categories) + len(a.AddWhenNonLocal) + len(a.AddWhenEmbeddingOK) + len(a.Kinds)
}

// Offers reports whether the allow-list has at least one name, category, or kind that can admit tools.
func (a AllowList) Offers() bool { return a.criteria() > 0 }

// List is a named allow-list, the content of a subject of KindList. Agents refer to a List by its id. If a
// definition contains only an id or only a name, that value is used for both.
type List struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	// Lists: tool ids.
	Tools []string `json:"tools,omitempty"`
	// Lists: categories. All tools of these categories are included.
	Categories []string `json:"categories,omitempty"`
	// Lists: low, medium or high, or a list of these values. Only tools of these tiers
	// are included by categories.
	Tiers Tiers `json:"tier,omitempty"`
	// Lists: ids of tools that are added if the agent does not work on the user's machine.
	AddWhenNonLocal []string `json:"addWhenNonLocal,omitempty"`
	// Lists: ids of tools that are excluded if the agent works on the user's machine.
	ExcludeInLocal []string `json:"excludeInLocal,omitempty"`
	// Lists: ids of tools that are added if semantic search is available.
	AddWhenEmbeddingOK []string `json:"addWhenEmbeddingOK,omitempty"`
	// Lists: prompt, action or both. All active tools of these kinds are included.
	Kinds  Kinds  `json:"kinds,omitempty"`
	Status Status `json:"status,omitempty"`
}

// AllowList converts l to an AllowList. The Name of the result is the id of l.
func (l List) AllowList() AllowList {
	return AllowList{
		Name: l.ID, Tools: l.Tools, Categories: l.Categories, Tiers: l.Tiers, AddWhenNonLocal: l.AddWhenNonLocal,
		ExcludeInLocal: l.ExcludeInLocal, AddWhenEmbeddingOK: l.AddWhenEmbeddingOK, Kinds: l.Kinds,
	}
}

// Admits reports whether the allow-list admits t in at least one Context.
func (a AllowList) Admits(t Tool) bool {
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

// Problems returns the reasons why l is not a complete definition, or nil. Each problem states the expected value
// and the path of the field. The given path is a prefix of this path.
func (l List) Problems(path string) jsondoc.Problems {
	c := newChecker(path)
	c.id("id", l.ID)
	c.text("name", l.Name, MaxName)
	c.text("description", l.Description, MaxAgentDescription)
	c.allowList(l.AllowList())
	if l.AllowList().criteria() == 0 {
		c.problems.Add(path, "allows no tools; expected tools, categories, kinds, addWhenNonLocal, or addWhenEmbeddingOK")
	}
	oneOf(c, "status", l.Status, Active, Deactivated)
	return *c.problems
}

// allowList adds the problems of an allow-list.
func (c *checker) allowList(a AllowList) {
	c.ids("tools", a.Tools)
	c.categories(a.Categories)
	subsetOf(c, "tier", a.Tiers, TierLow, TierMedium, TierHigh)
	c.ids("addWhenNonLocal", a.AddWhenNonLocal)
	c.ids("excludeInLocal", a.ExcludeInLocal)
	c.ids("addWhenEmbeddingOK", a.AddWhenEmbeddingOK)
	subsetOf(c, "kinds", a.Kinds, PromptTool, ActionTool)
}

// Tiers is a filter for the tools that an allow-list admits through its categories. An empty Tiers admits all
// tiers. JSON may represent a single tier as a string.
type Tiers []Tier

// BindJSON implements jsondoc.Binder.
func (t *Tiers) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	return bindOneOrMore(n, path, (*[]Tier)(t))
}

// Kinds lists kinds of tools. An allow-list admits all active tools of these kinds. JSON may represent a single
// kind as a string.
type Kinds []ToolKind

// BindJSON implements jsondoc.Binder.
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

// ValidChannel reports whether name has the form of a channel name: at most MaxIDLength
// lower-case letters, digits and "_", starting with a letter.
func ValidChannel(name string) bool {
	return consistsOf(name, lower, lower+digits+"_")
}
