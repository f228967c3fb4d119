package shipped

import (
	"slices"
	"sync"
)

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
