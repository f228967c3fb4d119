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

// String returns the kind with an article for use in messages: "a string", "an
// object".
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

// Pos is a position in the source text. Line and column count from 1, columns in
// code points. The zero Pos means that the position is unknown.
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

// NewString returns a string node without a position.
func NewString(s string) *Node { return &Node{Kind: String, Text: s} }

// NewNumber returns a number node without a position. literal must be valid (RFC
// 8259, section 6).
func NewNumber(literal string) *Node { return &Node{Kind: Number, Text: literal} }

// NewBool returns a boolean node without a position.
func NewBool(v bool) *Node {
	if v {
		return &Node{Kind: Bool, Text: "true"}
	}
	return &Node{Kind: Bool, Text: "false"}
}

// NewArray returns an array node without a position.
func NewArray(items ...*Node) *Node { return &Node{Kind: Array, Items: items} }

// NewObject returns an object node without a position.
func NewObject(members ...Member) *Node { return &Node{Kind: Object, Members: members} }

// Get returns the value of key, or nil if n is not an object or lacks key.
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

// Set sets the value of key, in place if n already has key.
func (n *Node) Set(key string, v *Node) {
	for i := range n.Members {
		if n.Members[i].Key == key {
			n.Members[i].Value = v
			return
		}
	}
	n.Members = append(n.Members, Member{Key: key, Value: v})
}

// Remove removes key and returns its value, or nil if n lacks key.
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

// Walk calls visit for n and every value inside it, in source order and parents
// first, until visit returns false. To save time, the path of a value is computed
// only if visit calls path.
func (n *Node) Walk(visit func(n *Node, path func() string) bool) {
	w := walker{visit: visit}
	w.walk(n)
}

type walker struct {
	visit func(*Node, func() string) bool
	steps []step
}

// walk reports whether to continue.
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
	w.steps = append(w.steps, s)
	more := w.walk(n)
	w.steps = w.steps[:len(w.steps)-1]
	return more
}

func (w *walker) path() string { return join(w.steps) }

// Root is the path of the whole document.
const Root = "$"

// Join returns the path of key inside the object at path: "definition" and "prompt"
// give "definition.prompt". Keys with other characters than letters, digits, "_",
// "-" and "$" are quoted: `properties["a b"]`.
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

// plain reports whether key needs no quotes in a path. The key "$" needs them,
// because it would read as Root.
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

// Find returns the node at path, or nil. Paths have the format of Join and Index.
func (n *Node) Find(path string) *Node {
	at, _, whole := n.Lead(path)
	if !whole {
		return nil
	}
	return at
}

// step is one step of a path: from an array to an element or from an object to a
// value.
type step struct {
	key     string
	index   int
	indexed bool
}

func (s step) apply(n *Node) *Node {
	if !s.indexed {
		return n.Get(s.key)
	}
	if s.index >= len(n.Items) {
		return nil
	}
	return n.Items[s.index]
}

// join returns the path that consists of the given steps.
func join(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
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

// cutStep splits the first step off path. Unquoted keys follow a dot, except at the
// start.
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
