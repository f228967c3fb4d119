// This file has the vocabulary of tool names and the retired names.

package shipped

import (
	"slices"
	"sync"
)

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

var names = sync.OnceValue(func() vocabulary {
	var v vocabulary
	readJSON("names.json", &v)
	return v
})

// Verbs returns the verbs with which the name of a tool can start.
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

var retired = sync.OnceValue(func() retirement {
	var r retirement
	readJSON("retired.json", &r)
	return r
})

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
