package audit

import (
	"bytes"
	"encoding/json"
)

// members calls fn for every member of a JSON object, with the value as it is
// written. Only as much is read as it takes to find the next one: what is no
// JSON may pass, and what has to be JSON is compared with what was made of it.
// The canonical form has keys in order.
func members(object []byte, fn func(key, value []byte) error) error {
	rest := space(object)
	if len(rest) == 0 || rest[0] != '{' {
		return unsound("an object does not begin as one")
	}
	rest = space(rest[1:])
	var last []byte
	for len(rest) > 0 && rest[0] == '"' {
		end := stringEnd(rest)
		if end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
			return unsound("a key is not read here")
		}
		key := rest[1 : end-1]
		if last != nil && bytes.Compare(last, key) >= 0 {
			return unsound("keys are out of order, or twice there")
		}
		last = key
		rest = space(rest[end:])
		if len(rest) == 0 || rest[0] != ':' {
			return unsound("a key has no value")
		}
		rest = space(rest[1:])
		end = valueEnd(rest)
		if end <= 0 {
			return unsound("a value does not end")
		}
		if err := fn(key, rest[:end]); err != nil {
			return err
		}
		rest = space(rest[end:])
		if len(rest) == 0 || rest[0] != ',' {
			break
		}
		rest = space(rest[1:])
	}
	if len(rest) == 0 || rest[0] != '}' {
		return unsound("an object does not end as one")
	}
	return nil
}

// elements calls fn for every element of a JSON array.
func elements(array []byte, fn func(value []byte) error) error {
	if len(array) == 0 || array[0] != '[' {
		return unsound("a list does not begin as one")
	}
	rest := space(array[1:])
	for len(rest) > 0 && rest[0] != ']' {
		end := valueEnd(rest)
		if end <= 0 {
			return unsound("a value does not end")
		}
		if err := fn(rest[:end]); err != nil {
			return err
		}
		if rest = space(rest[end:]); len(rest) > 0 && rest[0] == ',' {
			rest = space(rest[1:])
		}
	}
	return nil
}

func space(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// stringEnd returns the end of the string that b begins with, -1 when it has
// none.
func stringEnd(b []byte) int {
	for at := 1; at < len(b); {
		quote := bytes.IndexByte(b[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote + 1
		escapes := 0
		for at-2-escapes > 0 && b[at-2-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
	}
	return -1
}

// valueEnd returns the end of the value that b begins with, -1 when it has none.
func valueEnd(b []byte) int {
	if len(b) == 0 {
		return -1
	}
	switch b[0] {
	case '"':
		return stringEnd(b)
	case '{', '[':
		return nestedEnd(b)
	}
	for i, c := range b {
		switch c {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
	}
	return len(b)
}

func nestedEnd(b []byte) int {
	depth := 0
	for at := 0; at < len(b); at++ {
		switch b[at] {
		case '"':
			end := stringEnd(b[at:])
			if end < 0 {
				return -1
			}
			at += end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return -1
}

// unquote returns what a JSON string says.
func unquote(value []byte) ([]byte, error) {
	if len(value) < 2 || value[0] != '"' {
		return nil, unsound("a text is expected")
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], nil
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil, unsound("a text is none: %v", err)
	}
	return []byte(text), nil
}

// textOf returns what a JSON string says, "" for null.
func textOf(value []byte) ([]byte, error) {
	if string(value) == "null" {
		return nil, nil
	}
	return unquote(value)
}
