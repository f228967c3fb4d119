package jsondoc

import (
	"strconv"
	"strings"
)

// Root is the path of the whole document.
const Root = "$"

// Join returns the path of key inside the object at path:
// "definition" and "prompt" give "definition.prompt". A key that is not made
// of letters, digits, "_" and "-" is quoted: `properties["a b"]`.
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

func plain(key string) bool {
	for _, r := range key {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '$':
		default:
			return false
		}
	}
	return key != ""
}

// Find returns the node at path, or nil. It understands what Join and Index
// write.
func (n *Node) Find(path string) *Node {
	path = trimRoot(path)
	for n != nil && path != "" {
		switch {
		case strings.HasPrefix(path, `["`):
			quoted, err := strconv.QuotedPrefix(path[1:])
			if err != nil {
				return nil
			}
			key, err := strconv.Unquote(quoted)
			if err != nil {
				return nil
			}
			n, path = n.Get(key), strings.TrimPrefix(path[1+len(quoted):], "]")
		case path[0] == '[':
			digits, rest, ok := strings.Cut(path[1:], "]")
			i, err := strconv.Atoi(digits)
			if !ok || err != nil || i < 0 || i >= len(n.Items) {
				return nil
			}
			n, path = n.Items[i], rest
		default:
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			n, path = n.Get(path[:end]), path[end:]
		}
	}
	return n
}
