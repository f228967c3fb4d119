package verification

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/store/catalog"
)

// derivedFacts caches the values that lists and searches derive from live definitions while a ledger is read. A live
// definition is stored twice, in its version and in the draft. It is decoded when the first copy is read, and discarded
// after the second.
type derivedFacts struct {
	mu     sync.Mutex
	byText map[definitionKey]fact
}

// definitionKey identifies a definition.
type definitionKey struct {
	kind registry.Kind
	text [sha256.Size]byte
}

// fact holds the values derived from a definition.
type fact struct {
	name     string
	columns  registry.Columns
	names    []string // id and aliases of a tool
	textHash string   // "" for other definitions
	err      error    // set if the definition cannot be decoded
}

// of returns the fact for a definition. If live is set, the fact is cached for the second copy; the draft of a waiting
// proposal has none.
func (f *derivedFacts) of(kind registry.Kind, text []byte, live bool) fact {
	if !live {
		return factOf(kind, text)
	}
	key := definitionKey{kind, sha256.Sum256(text)}
	f.mu.Lock()
	known, ok := f.byText[key]
	delete(f.byText, key)
	f.mu.Unlock()
	if ok {
		return known
	}
	made := factOf(kind, text)
	f.mu.Lock()
	f.byText[key] = made
	f.mu.Unlock()
	return made
}

func factOf(kind registry.Kind, text []byte) fact {
	d, err := registry.DecodeDefinition(kind, text)
	made := fact{name: d.Name(), columns: d.Columns(), names: catalog.ToolNames(d), err: err}
	if d.Tool != nil {
		made.textHash = d.Tool.TextHash()
	}
	return made
}

// outlineOf returns a stored draft without its examples, test cases, and rationale, which no column repeats, and the
// fact for its definition.
func (f *derivedFacts) outlineOf(draft []byte, live bool) (proposals.Draft, fact, error) {
	var d proposals.Draft
	var definition []byte
	err := jsondoc.Members(draft, func(name string, value []byte, _ int) error {
		switch name {
		case "type":
			return json.Unmarshal(value, &d.Type)
		case "subject":
			return json.Unmarshal(value, &d.Subject)
		case "changeSet":
			return json.Unmarshal(value, &d.ChangeSet)
		case "baseVersion":
			return json.Unmarshal(value, &d.BaseVersion)
		case "definition":
			definition = bytes.Clone(value)
		}
		return nil
	})
	if err != nil || definition == nil {
		return d, fact{}, err
	}
	return d, f.of(d.Subject.Kind, definition, live), nil
}
