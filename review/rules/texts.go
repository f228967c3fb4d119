// This file collects the texts of a change.

package rules

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/registry/wire"
	"toolcrib/review/reach"
)

// TextKind is the role of a text in its definition.
type TextKind string

// The kinds of text.
const (
	Prose      TextKind = "prose"      // sentences: descriptions, prompts, guidance, souls
	Label      TextKind = "label"      // names and titles
	Identifier TextKind = "identifier" // ids, property names, keys
	Value      TextKind = "value"      // defaults, enum values, examples and other data in a schema
	Note       TextKind = "note"       // a $comment, which is written for readers of the schema but is also visible to agents
	Program    TextKind = "program"    // a program in a skill, whose comments may address the agent
	Report     TextKind = "report"     // seen only by reviewers: rationale, examples, test cases
)

// Text is a string in a proposal.
type Text struct {
	Path  string // path of the text in the JSON of the proposal
	Value string
	// Prose is a copy of Value in which everything except prose, such as code and data tables, is
	// replaced by spaces. Offsets are the same as in Value. Prose is "" if all of Value is prose.
	Prose string
	Kind  TextKind
	// Visible reports whether agents see the text once the proposal is live.
	Visible bool
	// Param is the name of the tool parameter that contains the text, or "".
	Param string
}

// Texts returns every string of the draft that agents or reviewers read, in the order of the
// fields. The result is computed only once.
func (c *Change) Texts() []Text { return Computed(c, collectTexts).list }

// texts collects the texts of a draft.
type texts struct{ list []Text }

func (t *texts) add(path, value string, kind TextKind) {
	if value != "" {
		t.list = append(t.list, Text{Path: path, Value: value, Kind: kind, Visible: kind != Report})
	}
}

func collectTexts(c *Change) (t texts) {
	d := &c.Draft
	if tool := d.Definition.Tool; tool != nil {
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
		// The definition contains only a part of the JSON that the tool was imported from. The
		// field source pins the rest, which clients may show to a model.
		t.source(c.unread(), "", "")
	}
	if a := d.Definition.Agent; a != nil {
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
	if l := d.Definition.List; l != nil {
		t.add("definition.id", l.ID, Identifier)
		t.add("definition.name", l.Name, Label)
		t.add("definition.description", l.Description, Prose)
	}
	if f := d.Definition.Folder(); f != nil {
		t.add("definition.id", f.ID, Identifier)
		t.add("definition.path", f.Path, Label)
		for _, name := range f.Paths() {
			at := jsondoc.Join("definition.files", name)
			t.add(at, name, Label)
			if text := f.Files[name].Text; text != "" {
				said, document := reach.Prose(name, text)
				kind := Program
				if document {
					kind = Prose
				}
				t.list = append(t.list, Text{Path: at + ".text", Value: text, Prose: said, Kind: kind, Visible: true})
			}
			t.add(at+".link", f.Files[name].Link, Value)
		}
	}
	// Agents do not see the remaining fields.
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
	return t
}

// byKey adds the key and the text of each entry of m, such as a channel and its guidance.
func (t *texts) byKey(path string, m map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		t.add(jsondoc.Join(path, key), key, Identifier)
		t.add(jsondoc.Join(path, key), m[key], Prose)
	}
}

// schemaDepth limits the depth of the search for texts in schemas. The rules about schemas reject
// deeper schemas.
const schemaDepth = 100

// schema adds every string in a JSON schema: texts, data, and names of properties. If raw is not
// valid JSON, schema adds all of raw as a single text.
func (t *texts) schema(path string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	root, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		t.add(path, string(raw), Value)
		return
	}
	t.walk(root, path, place{kind: Value, schema: true}, schemaDepth)
}

// place is the context of a value in a schema.
type place struct {
	kind   TextKind
	param  string
	schema bool // the value is a schema
	named  bool // the value maps names to schemas
}

// textKinds contains the keywords for texts, and maps each keyword to the kind of its text.
var textKinds = map[string]TextKind{"description": Prose, "title": Label, "$comment": Note, "markdownDescription": Prose}

// plainKeywords contains the keywords of JSON Schema 2020-12 and its predecessors that are neither
// in textKinds nor contain schemas. A key that is not a keyword was chosen by the author of the
// schema, and is itself a text.
var plainKeywords = map[string]bool{
	"$schema": true, "$id": true, "$ref": true, "$anchor": true, "$dynamicRef": true, "$dynamicAnchor": true, "$vocabulary": true,
	"type": true, "enum": true, "const": true, "default": true, "examples": true, "format": true, "pattern": true, "required": true,
	"minimum": true, "maximum": true, "exclusiveMinimum": true, "exclusiveMaximum": true, "multipleOf": true, "minLength": true,
	"maxLength": true, "minItems": true, "maxItems": true, "uniqueItems": true, "minContains": true, "maxContains": true,
	"minProperties": true, "maxProperties": true, "dependentRequired": true, "readOnly": true, "writeOnly": true, "deprecated": true,
	"contentEncoding": true, "contentMediaType": true, "nullable": true, "id": true, "discriminator": true, "xml": true, "example": true,
}

// holdsData contains the keywords for data. Their values are never read as schemas.
var holdsData = map[string]bool{"enum": true, "const": true, "default": true, "examples": true, "example": true, "required": true}

// walk adds the strings in n, down to the given depth.
func (t *texts) walk(n *jsondoc.Node, path string, at place, depth int) {
	if depth == 0 {
		return
	}
	switch n.Kind {
	case jsondoc.String:
		if n.Text != "" {
			t.list = append(t.list, Text{Path: path, Value: n.Text, Kind: at.kind, Visible: true, Param: at.param})
		}
	case jsondoc.Array:
		for i, item := range n.Items {
			t.walk(item, jsondoc.Index(path, i), at, depth-1)
		}
	case jsondoc.Object:
		for _, m := range n.Members {
			below := place{kind: Value, param: at.param}
			kind, isText := textKinds[m.Key]
			holds, named := schemaguard.Holds(m.Key)
			chosen := false // whether the author of the schema chose the key
			switch {
			case at.named:
				below.schema, chosen = true, true
				if at.param == "" {
					below.param = m.Key
				}
			case !at.schema:
				chosen = true
			case isText:
				below.kind = kind
			case named:
				below.named = true
			case holdsData[m.Key]:
			case holds, plainKeywords[m.Key]:
				below.schema = true
			default:
				chosen = true
			}
			name := jsondoc.Join(path, m.Key)
			if chosen && m.Key != "" {
				t.list = append(t.list, Text{Path: name, Value: m.Key, Kind: Identifier, Visible: true, Param: below.param})
			}
			t.walk(m.Value, name, below, depth-1)
		}
	case jsondoc.Null, jsondoc.Bool, jsondoc.Number:
	}
}

// source adds the strings in n, which is a part of the JSON that a tool was imported from. key is
// the key of n in this JSON. Servers may use arbitrary keys, so source guesses the kind of a string
// from its form.
func (t *texts) source(n *jsondoc.Node, path, key string) {
	switch n.Kind {
	case jsondoc.String:
		kind, known := textKinds[key]
		switch {
		case known:
		case strings.ContainsAny(n.Text, " \n"):
			kind = Prose
		default:
			kind = Value
		}
		t.add(wire.SourcePath+path, n.Text, kind)
	case jsondoc.Array:
		for i, item := range n.Items {
			t.source(item, jsondoc.Index(path, i), key)
		}
	case jsondoc.Object:
		for _, m := range n.Members {
			below := jsondoc.Join(path, m.Key)
			t.add(wire.SourcePath+below, m.Key, Identifier)
			t.source(m.Value, below, m.Key)
		}
	case jsondoc.Null, jsondoc.Bool, jsondoc.Number:
	}
}
