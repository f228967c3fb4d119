package jsondoc

import (
	"strconv"
	"strings"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of RFC 8259, section 3.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the name for messages: "a string", "an object".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "true or false"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "a list"
	case Object:
		return "an object"
	}
	return "nothing"
}

// Pos is a place in the source text: line and column count from 1, the column
// in characters (code points). The zero Pos means "not known".
type Pos struct {
	Line, Column int
}

// Node is one JSON value.
type Node struct {
	Kind    Kind
	Pos     Pos
	Text    string   // a string's value, a number's literal, "true" or "false"
	Items   []*Node  // the elements of an Array
	Members []Member // the members of an Object, in source order
}

// Member is one key of an object with its value.
type Member struct {
	Key   string
	Pos   Pos
	Value *Node
}

// NewString, NewNumber, NewBool, NewArray and NewObject build nodes that did
// not come from a text.
func NewString(s string) *Node { return &Node{Kind: String, Text: s} }

// NewNumber returns a number with the given literal, which the caller warrants
// to follow RFC 8259, section 6.
func NewNumber(literal string) *Node { return &Node{Kind: Number, Text: literal} }

// NewBool returns true or false.
func NewBool(v bool) *Node {
	if v {
		return &Node{Kind: Bool, Text: "true"}
	}
	return &Node{Kind: Bool, Text: "false"}
}

// NewArray returns a list of items.
func NewArray(items ...*Node) *Node { return &Node{Kind: Array, Items: items} }

// NewObject returns an object with the given members.
func NewObject(members ...Member) *Node { return &Node{Kind: Object, Members: members} }

// Get returns the value of key, or nil when n is not an object or lacks it.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

// Set gives key the value v, in place when the key is there already.
func (n *Node) Set(key string, v *Node) {
	for i := range n.Members {
		if n.Members[i].Key == key {
			n.Members[i].Value = v
			return
		}
	}
	n.Members = append(n.Members, Member{Key: key, Value: v})
}

// Remove takes key out and returns its value, nil when it was not there.
func (n *Node) Remove(key string) *Node {
	for i := range n.Members {
		if n.Members[i].Key == key {
			v := n.Members[i].Value
			n.Members = append(n.Members[:i:i], n.Members[i+1:]...)
			return v
		}
	}
	return nil
}

// Walk calls visit for n and every value inside it, the outer ones first and
// in the order of the text, until visit returns false. The path of a value is
// made only when path is called, and only during visit.
func (n *Node) Walk(visit func(n *Node, path func() string) bool) {
	w := walker{visit: visit}
	w.walk(n)
}

type walker struct {
	visit func(*Node, func() string) bool
	way   []step
}

// walk reports whether to go on.
func (w *walker) walk(n *Node) bool {
	if !w.visit(n, w.path) {
		return false
	}
	for i, item := range n.Items {
		if !w.inside(step{index: i, indexed: true}, item) {
			return false
		}
	}
	for _, m := range n.Members {
		if !w.inside(step{key: m.Key}, m.Value) {
			return false
		}
	}
	return true
}

func (w *walker) inside(s step, n *Node) bool {
	w.way = append(w.way, s)
	more := w.walk(n)
	w.way = w.way[:len(w.way)-1]
	return more
}

func (w *walker) path() string { return join(w.way) }

// Root is the path of the whole document.
const Root = "$"

// Join returns the path of key inside the object at path:
// "definition" and "prompt" give "definition.prompt". A key that is not made
// of letters, digits, "_", "-" and "$" is quoted: `properties["a b"]`.
func Join(path, key string) string {
	if !plain(key) {
		return trimRoot(path) + "[" + strconv.QuoteToASCII(key) + "]"
	}
	if p := trimRoot(path); p != "" {
		return p + "." + key
	}
	return key
}

// Index returns the path of element i of the list at path, counted from 0.
func Index(path string, i int) string {
	return trimRoot(path) + "[" + strconv.Itoa(i) + "]"
}

func trimRoot(path string) string {
	if path == Root {
		return ""
	}
	return path
}

// plain reports whether key needs no quotes in a path. The key "$" does: it would
// read as Root.
func plain(key string) bool {
	for _, r := range key {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '$':
		default:
			return false
		}
	}
	return key != "" && key != Root
}

// Find returns the node at path, or nil. It understands what Join and Index
// write.
func (n *Node) Find(path string) *Node {
	at, _, whole := n.Lead(path)
	if !whole {
		return nil
	}
	return at
}

// step leads from a list to an element or from an object to a value.
type step struct {
	key     string
	index   int
	indexed bool
}

func (s step) from(n *Node) *Node {
	if !s.indexed {
		return n.Get(s.key)
	}
	if s.index >= len(n.Items) {
		return nil
	}
	return n.Items[s.index]
}

// join returns the path that the steps of a way make.
func join(way []step) string {
	var b strings.Builder
	for _, s := range way {
		switch {
		case s.indexed:
			b.WriteString(Index("", s.index))
		case b.Len() > 0 && plain(s.key):
			b.WriteByte('.')
			b.WriteString(s.key)
		default:
			b.WriteString(Join("", s.key))
		}
	}
	if b.Len() == 0 {
		return Root
	}
	return b.String()
}

// cutStep splits the first step off path. A plain key follows a dot unless it
// stands first.
func cutStep(path string, first bool) (s step, rest string, ok bool) {
	if strings.HasPrefix(path, `["`) {
		quoted, err := strconv.QuotedPrefix(path[1:])
		if err != nil {
			return step{}, "", false
		}
		key, err := strconv.Unquote(quoted)
		rest, closed := strings.CutPrefix(path[1+len(quoted):], "]")
		return step{key: key}, rest, err == nil && closed
	}
	if strings.HasPrefix(path, "[") {
		digits, rest, closed := strings.Cut(path[1:], "]")
		i, err := strconv.Atoi(digits)
		return step{index: i, indexed: true}, rest, err == nil && closed && i >= 0
	}
	if !first {
		if path, ok = strings.CutPrefix(path, "."); !ok {
			return step{}, "", false
		}
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	return step{key: path[:end]}, path[end:], plain(path[:end])
}
