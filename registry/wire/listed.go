package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/registry/jsondoc"
)

// lenient reads the structure of JSON whose strings or names are refused elsewhere.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Salvage returns the list under a key of a server's answer without the elements that are
// not valid JSON for a strict reader, such as half of a surrogate pair or a key that is
// there twice, and why each was left out. at is where the list stands in the answer. ok is
// false where more than elements is wrong.
func Salvage(answer []byte, key string) (list []byte, at [2]int, skipped []Skipped, ok bool) {
	at, ok = memberAt(answer, key)
	if !ok || answer[at[0]] != '[' {
		return nil, at, nil, false
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(answer[at[0]:at[1]]), lenient...)
	if _, err := d.ReadToken(); err != nil {
		return nil, at, nil, false
	}
	var kept [][]byte
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return nil, at, nil, false
		}
		_, err = jsondoc.Parse(value, jsondoc.Limits{Bytes: len(value), Depth: jsondoc.DefaultLimits.Depth})
		if err == nil && jsontext.Value(value).IsValid() {
			kept = append(kept, bytes.Clone(value))
			continue
		}
		s := Skipped{Name: nameIn(value), Reason: "is not valid JSON"}
		if err != nil {
			s.Detail = jsondoc.Printable(err.Error())
		}
		skipped = append(skipped, s)
	}
	return append(append([]byte{'['}, bytes.Join(kept, []byte(","))...), ']'), at, skipped, true
}

// memberAt returns where the last value of a key stands in an object.
func memberAt(object []byte, key string) (at [2]int, ok bool) {
	d := jsontext.NewDecoder(bytes.NewBuffer(object), lenient...)
	if begin, err := d.ReadToken(); err != nil || begin.Kind() != '{' {
		return at, false
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return at, false
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return at, false
		}
		if name == key {
			end := int(d.InputOffset())
			at, ok = [2]int{end - len(value), end}, true
		}
	}
	_, err := d.ReadToken()
	if err == nil {
		_, err = d.ReadToken()
	}
	return at, ok && errors.Is(err, io.EOF)
}

// nameIn returns the name of an entry that is not valid JSON, "" for none.
func nameIn(entry []byte) string {
	at, ok := memberAt(entry, "name")
	if !ok || entry[at[0]] != '"' {
		return ""
	}
	name, err := jsontext.AppendUnquote(nil, entry[at[0]:at[1]])
	if err != nil {
		return ""
	}
	return string(name)
}

// UnreadMember returns the member by which a document that toolcrib makes of a server's
// answer names what was left out of it, with a comma in front; nothing for nothing.
func UnreadMember(skipped []Skipped) []byte {
	if len(skipped) == 0 {
		return nil
	}
	list := jsondoc.NewArray()
	for _, s := range skipped {
		list.Items = append(list.Items, jsondoc.NewObject(
			jsondoc.Member{Key: "name", Value: jsondoc.NewString(s.Name)}, jsondoc.Member{Key: "reason", Value: jsondoc.NewString(s.Reason)},
			jsondoc.Member{Key: "detail", Value: jsondoc.NewString(s.Detail)}))
	}
	return append([]byte(`,"`+unreadKey+`":`), jsondoc.Canonical(list)...)
}

// RepeatedPage is a page of a list that a server gave already.
var RepeatedPage = Skipped{Reason: "its list repeats a page, so nothing behind that was read"}

// ListedItem is an item of a list with its hash.
type ListedItem struct {
	Item
	Sum string // its Hash
}

// ByName returns what a list of tools has by its name. The first of a name counts.
func ByName(tools []json.RawMessage) map[string]ListedItem {
	all := make(map[string]ListedItem, len(tools))
	for _, raw := range tools {
		item, err := ReadItem(MCP, raw)
		if _, again := all[item.Name]; err == nil && !again {
			all[item.Name] = ListedItem{item, item.Hash()}
		}
	}
	return all
}
