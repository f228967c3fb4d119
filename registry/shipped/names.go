package shipped

import (
	"slices"
	"sync"
)

// Input is the kind of input that a tool's verb promises.
type Input string

// The inputs.
const (
	InputFilters Input = "filters" // nothing is required; "id" asks for one
	InputList    Input = "list"    // a list of objects
	InputIDs     Input = "ids"     // a list of ids
	InputQuery   Input = "query"
	InputItem    Input = "item" // the fields of one object
)

// vocabulary is the content of data/names.json: the words that the names of action
// tools, verb_resource, are made of.
type vocabulary struct {
	Verbs             []verb   `json:"verbs"`
	SingularResources []string `json:"singularResources"`
	// MassNouns are never counted, so that they have no plural.
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

// Verbs returns the verbs a tool's name can begin with.
func Verbs() []string {
	var verbs []string
	for _, v := range names().Verbs {
		verbs = append(verbs, v.Verb)
	}
	return verbs
}

// VerbInput returns what a tool takes whose name begins with verb, and false
// when verb is none.
func VerbInput(verb string) (Input, bool) {
	for _, v := range names().Verbs {
		if v.Verb == verb {
			return v.Input, true
		}
	}
	return "", false
}

// SingularResource reports whether a resource keeps its form in a name
// although it is not a plural: it is one thing, such as the context.
func SingularResource(resource string) bool {
	return slices.Contains(names().SingularResources, resource)
}

// MassNoun reports whether a word is declared as a noun without a plural, such as
// weather.
func MassNoun(word string) bool { return slices.Contains(names().MassNouns, word) }

// TakesOneItem reports whether the tool with the given id takes the fields of
// one object although its verb promises a list.
func TakesOneItem(id string) bool { return slices.Contains(names().SingleItem, id) }

// retirement is the content of data/retired.json.
type retirement struct {
	Successors      []succession `json:"successors"`
	Ghosts          []string     `json:"ghosts"`          // names nothing took the place of
	DeadTierEntries []string     `json:"deadTierEntries"` // never tools, but approval tiers were set for them
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

// Retired reports whether name is a tool name that was given up and may not be
// used again, and which tool took its place: "" when none did.
func Retired(name string) (successor string, ok bool) {
	successor, ok = successors()[name]
	return successor, ok
}

// RetiredNames returns every name that was given up: those with a successor
// first, in the order in which they are documented.
func RetiredNames() []string {
	var names []string
	for _, s := range retired().Successors {
		names = append(names, s.Name)
	}
	return append(names, retired().Ghosts...)
}

// DeadTierEntry reports whether an approval tier that is set for name has no
// effect because no tool of that name exists any more or ever did.
func DeadTierEntry(name string) bool {
	_, ok := Retired(name)
	return ok || slices.Contains(retired().DeadTierEntries, name)
}
