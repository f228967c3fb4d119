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

// derivedFacts hold the values that lists show and searches find of live definitions, while
// a ledger is read. A live definition is stored in its version and in the draft that it came
// from; it is decoded for the first of the two and forgotten with the second.
type derivedFacts struct {
	mu     sync.Mutex
	byText map[definitionKey]fact
}

// definitionKey identifies a definition.
type definitionKey struct {
	kind registry.Kind
	text [sha256.Size]byte
}

// fact holds the values that are derived from one definition.
type fact struct {
	name     string
	columns  registry.Columns
	names    []string // id and aliases of a tool
	textHash string   // "" but for a tool
	err      error    // it cannot be read as a whole
}

// of returns the fact of a definition of a kind. It is decoded once if both of its copies are
// live; that of a waiting draft, which has no second copy, is not kept.
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

// outlineOf returns a stored draft without its examples, test cases, and rationale, which
// no column repeats, and the fact of its definition, which may be live.
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
