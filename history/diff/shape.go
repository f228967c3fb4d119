package diff

import (
	"reflect"
	"strings"

	"toolcrib/registry/jsondoc"
)

// shape has the JSON keys that a Go type declares, in their order. nil is a value
// without a declared shape, such as a JSON schema.
type shape struct {
	keys   []string // nil for a map, whose keys are free
	inside map[string]*shape
}

// shapeOf returns the shape of a struct, a map of strings, or a pointer to one.
func shapeOf(t reflect.Type) *shape {
	switch t.Kind() { //nolint:exhaustive // all others have no shape
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Map:
		return &shape{}
	case reflect.Struct:
		s := &shape{inside: map[string]*shape{}}
		for i := range t.NumField() {
			key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			s.keys = append(s.keys, key)
			s.inside[key] = shapeOf(t.Field(i).Type)
		}
		return s
	}
	return nil
}

// order returns the keys of both objects, each once: the declared ones as they
// are declared, then the others as they come in after, and where they stood
// those that only before has.
func (s *shape) order(before, after members) []string {
	var keys []string
	seen := map[string]bool{}
	add := func(key string) {
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	if s != nil {
		for _, k := range s.keys {
			add(k)
		}
	}
	at := 0 // in before
	for _, m := range after.list {
		if i, ok := before.index[m.Key]; ok && i >= at {
			for ; at < i; at++ {
				if _, stays := after.index[before.list[at].Key]; !stays {
					add(before.list[at].Key)
				}
			}
		}
		add(m.Key)
	}
	for _, m := range before.list {
		add(m.Key)
	}
	return keys
}

// members are the members of an object, none when there is no object.
type members struct {
	list  []jsondoc.Member
	index map[string]int
}

func membersOf(n *jsondoc.Node) members {
	if n == nil || n.Kind != jsondoc.Object {
		return members{}
	}
	ms := members{list: n.Members, index: make(map[string]int, len(n.Members))}
	for i, m := range n.Members {
		ms.index[m.Key] = i
	}
	return ms
}

// get returns the value of key, or nil.
func (ms members) get(key string) *jsondoc.Node {
	if i, ok := ms.index[key]; ok {
		return ms.list[i].Value
	}
	return nil
}
