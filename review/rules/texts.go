package rules

import (
	"maps"
	"slices"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// TextKind is the role of a text in its definition.
type TextKind string

// The kinds of text.
const (
	Prose      TextKind = "prose"      // sentences: descriptions, prompts, guidance, souls
	Label      TextKind = "label"      // names and titles
	Identifier TextKind = "identifier" // ids, property names, keys
	Value      TextKind = "value"      // defaults, enum values, examples and other data in a schema
	Note       TextKind = "note"       // $comment: meant for readers of the schema, seen by agents all the same
	Report     TextKind = "report"     // what only reviewers read: rationale, examples, test cases
)

// Text is one string of a proposal.
type Text struct {
	Path  string // JSON path of the field
	Value string
	Kind  TextKind
	// Visible reports that an agent sees the text once the proposal is live.
	Visible bool
	// Param is the name of the parameter that the text belongs to, "" when it
	// belongs to none.
	Param string
}

// Texts returns every string of the draft that an agent or a reviewer reads,
// in the order of the fields. It is computed once per Change.
func (c *Change) Texts() []Text {
	return Computed(c, func(c *Change) texts {
		t := texts{}
		t.tool(c.Draft.Definition.Tool)
		t.source(c.Draft.Definition.Tool, c.Source)
		t.agent(c.Draft.Definition.Agent)
		t.allowList(c.Draft.Definition.List)
		t.report(c)
		return t
	}).list
}

// texts collects strings.
type texts struct{ list []Text }

func (t *texts) add(path, value string, kind TextKind) {
	if value != "" {
		t.list = append(t.list, Text{Path: path, Value: value, Kind: kind, Visible: kind != Report})
	}
}

func (t *texts) tool(tool *registry.Tool) {
	if tool == nil {
		return
	}
	t.add("definition.id", tool.ID, Identifier)
	t.add("definition.name", tool.Name, Label)
	t.add("definition.archetype", tool.Archetype, Label)
	t.add("definition.usageNotes", tool.UsageNotes, Prose)
	t.add("definition.goals", tool.Goals, Prose)
	t.add("definition.guardrails", tool.Guardrails, Prose)
	t.add("definition.prompt", tool.Prompt, Prose)
	t.add("definition.description", tool.Description, Prose)
	t.add("definition.shortDescription", tool.ShortDescription, Prose)
	t.add("definition.category", tool.Category, Identifier)
	for i, alias := range tool.Aliases {
		t.add(jsondoc.Index("definition.aliases", i), alias, Identifier)
	}
	t.schema("definition.inputSchema", tool.InputSchema)
	t.schema("definition.outputSchema", tool.OutputSchema)
	if tag := tool.Tag; tag != nil {
		t.add("definition.tag.prefix", tag.Prefix, Identifier)
		t.add("definition.tag.argPattern", tag.ArgPattern, Value)
		for i, group := range tag.ArgGroups {
			t.add(jsondoc.Index("definition.tag.argGroups", i), group, Identifier)
		}
		t.add("definition.tag.example", tag.Example, Prose)
	}
	t.byKey("definition.guidance", tool.Guidance)
	if p := tool.Provider; p != nil {
		t.add("definition.provider.name", p.Name, Identifier)
		t.add("definition.provider.server", p.Server, Identifier)
		t.add("definition.provider.url", p.URL, Report)
	}
	if s := tool.Source; s != nil {
		t.add("definition.source.ref", s.Ref, Report)
	}
}

func (t *texts) agent(a *registry.Agent) {
	if a == nil {
		return
	}
	t.add("definition.id", a.ID, Identifier)
	t.add("definition.name", a.Name, Label)
	t.add("definition.description", a.Description, Prose)
	t.add("definition.vibe", a.Vibe, Prose)
	t.add("definition.soul", a.Soul, Prose)
	t.add("definition.promptTemplate", a.PromptTemplate, Prose)
	t.add("definition.operatingModel", a.OperatingModel, Prose)
	t.add("definition.interactionLearning", a.InteractionLearning, Prose)
	t.byKey("definition.channelGuidance", a.ChannelGuidance)
	if o := a.SessionOpen; o != nil {
		t.add("definition.sessionOpen.bootstrap", o.Bootstrap, Prose)
		t.add("definition.sessionOpen.returning", o.Returning, Prose)
	}
	t.add("definition.onboarding", a.Onboarding, Prose)
	t.add("definition.timezone", a.Timezone, Identifier)
}

func (t *texts) allowList(l *registry.List) {
	if l == nil {
		return
	}
	t.add("definition.id", l.ID, Identifier)
	t.add("definition.name", l.Name, Label)
	t.add("definition.description", l.Description, Prose)
}

// byKey adds a text for each key, such as the guidance per channel.
func (t *texts) byKey(path string, m map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		t.add(jsondoc.Join(path, key), key, Identifier)
		t.add(jsondoc.Join(path, key), m[key], Prose)
	}
}

// report adds the texts that no agent sees.
func (t *texts) report(c *Change) {
	d := &c.Draft
	t.add("rationale", d.Rationale, Report)
	for i, e := range d.Examples {
		t.add(jsondoc.Index("examples", i), e, Report)
	}
	for i, tc := range d.TestCases {
		at := jsondoc.Index("testCases", i)
		t.add(at+".name", tc.Name, Report)
		t.add(at+".input", tc.Input, Report)
		if tc.Output != nil {
			t.add(at+".output", *tc.Output, Report)
		}
	}
	t.add("changeSet", d.ChangeSet, Report)
}
