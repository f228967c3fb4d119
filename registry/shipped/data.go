// This file reads the embedded definitions, their hashes, and the vocabulary of
// names.

package shipped

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

//go:embed data
var data embed.FS

// read returns the content of an embedded file. It panics instead of returning
// errors, because tests check that the embedded files are complete and valid.
func read(name string) []byte {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("shipped: " + err.Error())
	}
	return b
}

// readJSON parses an embedded JSON file.
func readJSON[T any](name string) (v T) {
	n, err := jsondoc.Parse(read(name), jsondoc.DefaultLimits)
	if err == nil {
		err = jsondoc.Bind(n, jsondoc.Root, &v).Err()
	}
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
	return v
}

// readMarkdown parses an embedded Markdown file that contains one definition.
func readMarkdown(kind registry.Kind, name string) registry.Definition {
	d, err := mdfile.DecodeDefinition(kind, read(name))
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
	return d
}

// Hashes returns the content hash (see registry.Definition.Hash) of each shipped
// definition. It reads the hashes from data/shipped.sums and data/core.sums, which
// is much faster than parsing the definitions.
func Hashes() map[registry.Subject]string { return maps.Clone(hashes()) }

var hashes = sync.OnceValue(func() map[registry.Subject]string {
	all := map[registry.Subject]string{}
	for id, hash := range coreSums().hashes {
		all[registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: id}] = hash
	}
	for line := range strings.Lines(string(read("shipped.sums"))) {
		text, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		subject, err := registry.ParseSubject(text)
		if err != nil {
			panic(fmt.Sprintf("shipped: shipped.sums: %v", err))
		}
		all[subject] = hash
	}
	return all
})

// sums is the content of data/core.sums. The file has one line "<id> <content
// hash>" for each core tool.
type sums struct {
	ids    []string // in the order of the file
	hashes map[string]string
}

var coreSums = sync.OnceValue(func() sums {
	s := sums{hashes: map[string]string{}}
	for line := range strings.Lines(string(read("core.sums"))) {
		id, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.ids = append(s.ids, id)
		s.hashes[id] = hash
	}
	return s
})

// IsCore reports whether id is the id of a core tool. In every layer, core tools
// cannot be changed or overridden, and their ids cannot be used as aliases.
func IsCore(id string) bool {
	_, ok := coreSums().hashes[id]
	return ok
}

// CoreHashes returns the content hash of each core tool, by id.
func CoreHashes() map[string]string { return maps.Clone(coreSums().hashes) }

// Core returns the core tools in the documented order.
func Core() []registry.Definition { return slices.Clone(core()) }

var core = sync.OnceValue(func() []registry.Definition {
	return lists.Map(coreSums().ids, func(id string) registry.Definition { return readMarkdown(registry.KindTool, "core/"+id+".md") })
})

// The ids of the shipped agents. The allow-list of the assistant also has the id
// AssistantID.
const (
	AssistantID = "assistant"
	AuthorID    = "author"
)

// Assistant returns the action tools of the assistant in the documented order. They
// belong to the global layer and are not core tools, so proposals can change them.
func Assistant() []registry.Definition { return slices.Clone(assistant()) }

var assistant = sync.OnceValue(func() []registry.Definition {
	list, _ := List(AssistantID)
	var tools []registry.Definition
	for _, id := range list.Tools {
		name := "assistant/" + id + ".json"
		d, err := registry.DecodeDefinition(registry.KindTool, read(name))
		if err != nil {
			panic(fmt.Sprintf("shipped: %s: %v", name, err))
		}
		tools = append(tools, d)
	}
	return tools
})

// Agents returns the shipped agents, which belong to the global layer.
func Agents() []registry.Definition { return slices.Clone(agents()) }

var agents = sync.OnceValue(func() []registry.Definition {
	return []registry.Definition{
		readMarkdown(registry.KindAgent, "agents/"+AssistantID+".md"),
		readMarkdown(registry.KindAgent, "agents/"+AuthorID+".md"),
	}
})

// Lists returns the shipped allow-lists in the documented order. They belong to the
// global layer, and proposals can change them; the registry contains the versions
// in force. The definitions are shared; do not modify them.
func Lists() []registry.Definition { return slices.Clone(allowLists()) }

// List returns the shipped allow-list with the given id.
func List(id string) (registry.AllowList, bool) {
	all := allowLists()
	i := slices.IndexFunc(all, func(d registry.Definition) bool { return d.ID() == id })
	if i < 0 {
		return registry.AllowList{}, false
	}
	return all[i].List.AllowList(), true
}

var allowLists = sync.OnceValue(func() []registry.Definition {
	const name = "lists.json"
	n, err := jsondoc.Parse(read(name), jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
	all := make([]registry.Definition, len(n.Items))
	for i, item := range n.Items {
		d, ps := registry.BindDefinition(registry.KindList, item, jsondoc.Index(jsondoc.Root, i))
		if ps != nil {
			panic(fmt.Sprintf("shipped: %s: %v", name, ps))
		}
		all[i] = d
	}
	return all
})

// Input is the kind of input that the verb in a tool's name implies.
type Input string

// The kinds of input.
const (
	InputFilters Input = "filters" // no required parameter; "id" selects one item
	InputList    Input = "list"    // a list of objects
	InputIDs     Input = "ids"     // a list of ids
	InputQuery   Input = "query"
	InputItem    Input = "item" // the fields of one object
)

// vocabulary is the content of data/names.json. It contains the words that occur in
// the names of action tools, which have the form verb_resource.
type vocabulary struct {
	Verbs             []verb   `json:"verbs"`
	SingularResources []string `json:"singularResources"`
	// MassNouns are uncountable nouns, which have no plural.
	MassNouns  []string `json:"massNouns"`
	SingleItem []string `json:"singleItem"`
}

type verb struct {
	Verb  string `json:"verb"`
	Input Input  `json:"input"`
}

var names = sync.OnceValue(func() vocabulary { return readJSON[vocabulary]("names.json") })

// Verbs returns the verbs that can start the name of a tool.
func Verbs() []string {
	return lists.Map(names().Verbs, func(v verb) string { return v.Verb })
}

// VerbInput returns the kind of input that the given verb implies. It returns false for
// an unknown verb.
func VerbInput(verb string) (Input, bool) {
	for _, v := range names().Verbs {
		if v.Verb == verb {
			return v.Input, true
		}
	}
	return "", false
}

// SingularResource reports whether tool names contain the given resource in the
// singular because only one instance exists. An example is "context".
func SingularResource(resource string) bool {
	return slices.Contains(names().SingularResources, resource)
}

// MassNoun reports whether word is an uncountable noun, such as weather.
func MassNoun(word string) bool { return slices.Contains(names().MassNouns, word) }

// TakesOneItem reports whether the tool with the given id accepts the fields of a
// single object, although its verb implies a list.
func TakesOneItem(id string) bool { return slices.Contains(names().SingleItem, id) }

// retirement is the content of data/retired.json, which lists tool names that must
// not be used.
type retirement struct {
	Successors      []succession `json:"successors"`
	Ghosts          []string     `json:"ghosts"`          // retired names without a successor
	DeadTierEntries []string     `json:"deadTierEntries"` // names that never belonged to a tool but had approval tiers
}

type succession struct {
	Name      string `json:"name"`
	Successor string `json:"successor"`
}

var retired = sync.OnceValue(func() retirement { return readJSON[retirement]("retired.json") })

var successors = sync.OnceValue(func() map[string]string {
	byName := lists.Index(retired().Successors, func(s succession) (name, successor string) { return s.Name, s.Successor })
	for _, name := range retired().Ghosts {
		byName[name] = ""
	}
	return byName
})

// Retired reports whether name is a retired tool name, which cannot be used again.
// It also returns the name of the successor, or "" if the tool has none.
func Retired(name string) (successor string, ok bool) {
	successor, ok = successors()[name]
	return successor, ok
}

// RetiredNames returns all retired names in the documented order. Names with a
// successor come first.
func RetiredNames() []string {
	return append(lists.Map(retired().Successors, func(s succession) string { return s.Name }), retired().Ghosts...)
}

// DeadTierEntry reports whether an approval tier for name has no effect because the
// tool was retired or never existed.
func DeadTierEntry(name string) bool {
	_, ok := Retired(name)
	return ok || slices.Contains(retired().DeadTierEntries, name)
}
