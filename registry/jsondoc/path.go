package jsondoc

import (
	"strconv"
	"strings"
)

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
