package jsondoc

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
