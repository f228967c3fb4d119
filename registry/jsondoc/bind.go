package jsondoc

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
)

// Binder is implemented by types that fill themselves from a node, for values that
// can be written in several forms.
type Binder interface {
	BindJSON(n *Node, path string) Problems
}

// Bind fills the struct that dst points to from n, using the json tags of the
// struct, and returns all mismatches: unknown keys, wrong types, null. It supports
// strings, booleans, integers, pointers to and slices of these, string maps, nested
// structs, json.RawMessage (filled with the canonical form) and Binders. Keys that
// n lacks leave their field unchanged; the caller checks required keys.
func Bind(n *Node, path string, dst any) Problems {
	var ps Problems
	bind(n, path, reflect.ValueOf(dst).Elem(), &ps)
	return ps
}

func bind(n *Node, path string, v reflect.Value, ps *Problems) {
	if b, ok := v.Addr().Interface().(Binder); ok {
		ps.Append(b.BindJSON(n, path)...)
		return
	}
	if raw, ok := v.Addr().Interface().(*json.RawMessage); ok {
		*raw = Canonical(n)
		return
	}
	switch v.Kind() {
	case reflect.String:
		if expect(n, path, String, ps) {
			v.SetString(n.Text)
		}
	case reflect.Bool:
		if expect(n, path, Bool, ps) {
			v.SetBool(n.Text == "true")
		}
	case reflect.Int, reflect.Int64:
		if expect(n, path, Number, ps) {
			i, err := strconv.ParseInt(string(appendNumber(nil, n.Text)), 10, v.Type().Bits())
			switch {
			case errors.Is(err, strconv.ErrRange):
				ps.add(n, path, "expected a smaller whole number, got "+Printable(n.Text))
			case err != nil:
				ps.add(n, path, "expected a whole number, got "+Printable(n.Text))
			}
			v.SetInt(i)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		bind(n, path, v.Elem(), ps)
	case reflect.Slice:
		if expect(n, path, Array, ps) {
			v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
			for i, item := range n.Items {
				bind(item, Index(path, i), v.Index(i), ps)
			}
		}
	case reflect.Map:
		if expect(n, path, Object, ps) {
			v.Set(reflect.MakeMap(v.Type()))
			for _, m := range n.Members {
				elem := reflect.New(v.Type().Elem()).Elem()
				bind(m.Value, Join(path, m.Key), elem, ps)
				v.SetMapIndex(reflect.ValueOf(m.Key).Convert(v.Type().Key()), elem)
			}
		}
	case reflect.Struct:
		if expect(n, path, Object, ps) {
			bindStruct(n, path, v, ps)
		}
	default:
		panic("jsondoc: cannot bind " + v.Type().String())
	}
}

func bindStruct(n *Node, path string, v reflect.Value, ps *Problems) {
	fields := fieldsOf(v.Type())
	for _, m := range n.Members {
		i := slices.Index(fields.keys, m.Key)
		switch {
		case i < 0 || m.Key == "" || m.Key == "-":
			if !ps.Full() {
				ps.Append(Problem{Path: Join(path, m.Key), Pos: m.Pos, Message: unknownKey(m.Key, fields.keys)})
			}
		case fields.texts[i] && m.Value.Kind == String: // the common case, without computing the path
			v.Field(i).SetString(m.Value.Text)
		default:
			bind(m.Value, Join(path, m.Key), v.Field(i), ps)
		}
	}
}

// fields describes the fields of a struct, in their order.
type fields struct {
	keys  []string // names in the json tags
	texts []bool   // whether the field is a plain string
}

// fieldCache caches fieldsOf by type.
var fieldCache sync.Map // of fields by reflect.Type

func fieldsOf(t reflect.Type) fields {
	if f, ok := fieldCache.Load(t); ok {
		return f.(fields)
	}
	f := fields{make([]string, t.NumField()), make([]bool, t.NumField())}
	for i := range f.keys {
		field := t.Field(i)
		f.keys[i], _, _ = strings.Cut(field.Tag.Get("json"), ",")
		f.texts[i] = field.Type.Kind() == reflect.String && !reflect.PointerTo(field.Type).Implements(reflect.TypeFor[Binder]())
	}
	fieldCache.Store(t, f)
	return f
}

// unknownKey returns the message for an unknown key, with the key that was probably
// meant.
func unknownKey(key string, keys []string) string {
	known := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == "" || k == "-" })
	switch meant, slips := closest(key, known); {
	case meant == "":
		return "unknown key; known keys: " + strings.Join(known, ", ")
	case slips == 0:
		return "unknown key; use " + strconv.Quote(meant)
	default:
		return "unknown key; did you mean " + strconv.Quote(meant) + "?"
	}
}

// Closest returns the known word that word was probably meant to be, or "".
func Closest(word string, known []string) string {
	meant, _ := closest(word, known)
	return meant
}

// closest returns the known key that key spells differently, or of which it is a
// misspelling, and the number of errors in it. It returns "" if no known key is
// close enough.
func closest(key string, known []string) (meant string, slips int) {
	if len(key) > maxQuoted { // too long to be a misspelling, and slow to compare
		return "", 0
	}
	fold := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	slips = min(3, len(key)/2+1) // with this many, it is a different word
	for _, k := range known {
		d := levenshtein.ComputeDistance(fold(k), fold(key))
		if d == 2 && letters(fold(k)) == letters(fold(key)) {
			d = 1 // two swapped letters
		}
		if d < slips {
			meant, slips = k, d
		}
	}
	return meant, slips
}

// letters returns the letters of a word in alphabetical order.
func letters(word string) string {
	sorted := []rune(word)
	slices.Sort(sorted)
	return string(sorted)
}

// expect reports whether n is of kind k. If not, it adds a problem.
func expect(n *Node, path string, k Kind, ps *Problems) bool {
	if n.Kind == k {
		return true
	}
	message := "expected " + k.String() + ", got " + n.Kind.String()
	if n.Kind == Null {
		message += "; omit the key instead"
	}
	ps.add(n, path, message)
	return false
}

func (ps *Problems) add(n *Node, path, message string) {
	ps.Append(Problem{Path: path, Pos: n.Pos, Message: message})
}
