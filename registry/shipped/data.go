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

// readJSON fills the value that dst points to from an embedded file.
func readJSON(name string, dst any) {
	n, err := jsondoc.Parse(read(name), jsondoc.DefaultLimits)
	if err == nil {
		err = jsondoc.Bind(n, jsondoc.Root, dst).Err()
	}
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
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
