package registry

import "toolcrib/registry/jsondoc"

// Agent is the profile of one agent. The zero value of an optional field means
// that the key is absent.
type Agent struct {
	ID                  string            `json:"id,omitempty"`
	Name                string            `json:"name,omitempty"`
	Description         string            `json:"description,omitempty"`
	Vibe                string            `json:"vibe,omitempty"`
	Soul                string            `json:"soul,omitempty"`
	PromptTemplate      string            `json:"promptTemplate,omitempty"`
	OperatingModel      string            `json:"operatingModel,omitempty"`
	InteractionLearning string            `json:"interactionLearning,omitempty"`
	ChannelGuidance     map[string]string `json:"channelGuidance,omitempty"` // by channel
	SessionOpen         *SessionOpen      `json:"sessionOpen,omitempty"`
	Onboarding          string            `json:"onboarding,omitempty"`
	AllowList           *AllowList        `json:"allowList,omitempty"`
	Categories          []string          `json:"categories,omitempty"` // added to the allow-list's
	Timezone            string            `json:"timezone,omitempty"`   // IANA name
	Status              Status            `json:"status,omitempty"`
}

// SessionOpen holds the texts for the moment a user opens a session.
type SessionOpen struct {
	Bootstrap string `json:"bootstrap,omitempty"` // the user is new
	Returning string `json:"returning,omitempty"`
}

// AllowList selects the tools that an agent may have. In JSON it is written as a
// string, the id of a List; as a list of tool ids; or as an object with these
// keys. A reference to a List has only a Name.
type AllowList struct {
	Name               string   `json:"name,omitempty"`
	Tools              []string `json:"tools,omitempty"`
	Categories         []string `json:"categories,omitempty"` // expanded through the registry
	Tiers              Tiers    `json:"tier,omitempty"`       // filters what Categories bring in; empty: all
	AddWhenNonLocal    []string `json:"addWhenNonLocal,omitempty"`
	ExcludeInLocal     []string `json:"excludeInLocal,omitempty"`
	AddWhenEmbeddingOK []string `json:"addWhenEmbeddingOK,omitempty"`
	Kinds              Kinds    `json:"kinds,omitempty"` // of which every active tool is taken in
}

// BindJSON reads any of the three forms.
func (a *AllowList) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	type object AllowList
	switch n.Kind { //nolint:exhaustive // every other kind is reported by the last lines
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

// MarshalJSON writes a reference as the name it is, everything else as an
// object.
func (a AllowList) MarshalJSON() ([]byte, error) {
	if a.Reference() {
		return jsondoc.Marshal(a.Name)
	}
	type object AllowList
	return jsondoc.Marshal(object(a))
}

// Reference reports whether a only names a List.
func (a AllowList) Reference() bool {
	return a.Name != "" && a.allows()+len(a.Tiers)+len(a.ExcludeInLocal) == 0
}

// allows counts what a takes tools in by.
func (a AllowList) allows() int {
	return len(a.Tools) + len(a.Categories) + len(a.AddWhenNonLocal) + len(a.AddWhenEmbeddingOK) + len(a.Kinds)
}
