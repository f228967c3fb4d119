// This file reads the embedded definitions, hashes, and names.

package shipped

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

//go:embed data
var data embed.FS

// read returns an embedded file. It does not return errors, because tests check
// that the embedded files are complete and valid.
func read(name string) []byte {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("shipped: " + err.Error())
	}
	return b
}

// readJSON returns the value in an embedded file.
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

// readMarkdown returns the definition in an embedded Markdown file.
func readMarkdown(kind registry.Kind, name string) registry.Definition {
	d, err := mdfile.DecodeDefinition(kind, read(name))
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
	return d
}

// Hashes returns the content hashes (see registry.Definition.Hash) of all shipped
// definitions. It reads them from data/shipped.sums and data/core.sums, which is
// much faster than parsing the definitions.
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

// sums is the content of data/core.sums, which has a line "<id> <content hash>" for
// each core tool.
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

// IsCore reports whether id is the id of a core tool. Core tools cannot be changed
// or overridden, and their ids cannot be aliases, in any layer.
func IsCore(id string) bool {
	_, ok := coreSums().hashes[id]
	return ok
}

// CoreHashes returns the content hashes of the core tools by id.
func CoreHashes() map[string]string { return maps.Clone(coreSums().hashes) }

// Core returns the core tools in the order of the documentation.
func Core() []registry.Definition { return slices.Clone(core()) }

var core = sync.OnceValue(func() []registry.Definition {
	var tools []registry.Definition
	for _, id := range coreSums().ids {
		tools = append(tools, readMarkdown(registry.KindTool, "core/"+id+".md"))
	}
	return tools
})

// The shipped agents. The allow-list of the assistant has the same id.
const (
	AssistantID = "assistant"
	AuthorID    = "author"
)

// Assistant returns the action tools of the assistant in the order of the
// documentation. They belong to the global layer and are not core: they can be
// changed by proposals.
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

// Lists returns the shipped allow-lists in the order of the documentation. They
// belong to the global layer and can be changed by proposals; the registry has the
// version in force. The result is shared; do not change it.
func Lists() []registry.Definition { return slices.Clone(lists()) }

// List returns the shipped allow-list with an id.
func List(id string) (registry.AllowList, bool) {
	all := lists()
	i := slices.IndexFunc(all, func(d registry.Definition) bool { return d.ID() == id })
	if i < 0 {
		return registry.AllowList{}, false
	}
	return all[i].List.AllowList(), true
}

var lists = sync.OnceValue(func() []registry.Definition {
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

// Input is the kind of input that the verb of a tool's name implies.
type Input string

// The kinds of input.
const (
	InputFilters Input = "filters" // no required parameter; "id" selects one item
	InputList    Input = "list"    // a list of objects
	InputIDs     Input = "ids"     // a list of ids
	InputQuery   Input = "query"
	InputItem    Input = "item" // the fields of one object
)

// vocabulary is the content of data/names.json: the words in the names of action
// tools, which have the form verb_resource.
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

// Verbs returns the verbs that the name of a tool can start with.
func Verbs() []string {
	var verbs []string
	for _, v := range names().Verbs {
		verbs = append(verbs, v.Verb)
	}
	return verbs
}

// VerbInput returns the kind of input of a tool with verb in its name, and false
// for unknown verbs.
func VerbInput(verb string) (Input, bool) {
	for _, v := range names().Verbs {
		if v.Verb == verb {
			return v.Input, true
		}
	}
	return "", false
}

// SingularResource reports whether a resource is singular in names, because only
// one of it exists, such as the context.
func SingularResource(resource string) bool {
	return slices.Contains(names().SingularResources, resource)
}

// MassNoun reports whether a word is an uncountable noun, such as weather.
func MassNoun(word string) bool { return slices.Contains(names().MassNouns, word) }

// TakesOneItem reports whether the tool with an id takes the fields of one object,
// although its verb implies a list.
func TakesOneItem(id string) bool { return slices.Contains(names().SingleItem, id) }

// retirement is the content of data/retired.json.
type retirement struct {
	Successors      []succession `json:"successors"`
	Ghosts          []string     `json:"ghosts"`          // retired names without a successor
	DeadTierEntries []string     `json:"deadTierEntries"` // names that never were tools, but that had approval tiers
}

type succession struct {
	Name      string `json:"name"`
	Successor string `json:"successor"`
}

var retired = sync.OnceValue(func() retirement { return readJSON[retirement]("retired.json") })

var successors = sync.OnceValue(func() map[string]string {
	byName := map[string]string{}
	for _, s := range retired().Successors {
		byName[s.Name] = s.Successor
	}
	for _, name := range retired().Ghosts {
		byName[name] = ""
	}
	return byName
})

// Retired reports whether name is a retired tool name, which cannot be used again,
// and returns its successor, or "" if it has none.
func Retired(name string) (successor string, ok bool) {
	successor, ok = successors()[name]
	return successor, ok
}

// RetiredNames returns all retired names in the order of the documentation, those
// with a successor first.
func RetiredNames() []string {
	var names []string
	for _, s := range retired().Successors {
		names = append(names, s.Name)
	}
	return append(names, retired().Ghosts...)
}

// DeadTierEntry reports whether an approval tier for name has no effect, because
// the tool was retired or never existed.
func DeadTierEntry(name string) bool {
	_, ok := Retired(name)
	return ok || slices.Contains(retired().DeadTierEntries, name)
}
