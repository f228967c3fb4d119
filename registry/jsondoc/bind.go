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

// Binder is a type that reads itself from a node: for values that may be
// written in more than one form.
type Binder interface {
	BindJSON(n *Node, path string) Problems
}

// Bind fills the struct that dst points to from n, by the struct's json tags, and
// returns everything that does not fit: unknown keys, wrong types, null. It knows
// strings, booleans, integers, pointers to and slices of those, string maps,
// nested structs, json.RawMessage (filled with the canonical form) and Binders.
// Keys missing in n stay as they are in dst; the caller checks required ones.
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
		if want(n, path, String, ps) {
			v.SetString(n.Text)
		}
	case reflect.Bool:
		if want(n, path, Bool, ps) {
			v.SetBool(n.Text == "true")
		}
	case reflect.Int, reflect.Int64:
		if want(n, path, Number, ps) {
			i, err := strconv.ParseInt(string(appendNumber(nil, n.Text)), 10, v.Type().Bits())
			switch {
			case errors.Is(err, strconv.ErrRange):
				ps.add(n, path, "expected a whole number that is not so large, got "+Printable(n.Text))
			case err != nil:
				ps.add(n, path, "expected a whole number, got "+Printable(n.Text))
			}
			v.SetInt(i)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		bind(n, path, v.Elem(), ps)
	case reflect.Slice:
		if want(n, path, Array, ps) {
			v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
			for i, item := range n.Items {
				bind(item, Index(path, i), v.Index(i), ps)
			}
		}
	case reflect.Map:
		if want(n, path, Object, ps) {
			v.Set(reflect.MakeMap(v.Type()))
			for _, m := range n.Members {
				elem := reflect.New(v.Type().Elem()).Elem()
				bind(m.Value, Join(path, m.Key), elem, ps)
				v.SetMapIndex(reflect.ValueOf(m.Key).Convert(v.Type().Key()), elem)
			}
		}
	case reflect.Struct:
		if want(n, path, Object, ps) {
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
		case fields.texts[i] && m.Value.Kind == String: // most are, and need no path
			v.Field(i).SetString(m.Value.Text)
		default:
			bind(m.Value, Join(path, m.Key), v.Field(i), ps)
		}
	}
}

// fields describes the fields of a struct, in their order.
type fields struct {
	keys  []string // what their json tags call them
	texts []bool   // whether they take a bare string
}

// known keeps what fieldsOf found out: what a type says never changes.
var known sync.Map // of fields by reflect.Type

func fieldsOf(t reflect.Type) fields {
	if f, ok := known.Load(t); ok {
		return f.(fields)
	}
	f := fields{make([]string, t.NumField()), make([]bool, t.NumField())}
	for i := range f.keys {
		field := t.Field(i)
		f.keys[i], _, _ = strings.Cut(field.Tag.Get("json"), ",")
		f.texts[i] = field.Type.Kind() == reflect.String && !reflect.PointerTo(field.Type).Implements(reflect.TypeFor[Binder]())
	}
	known.Store(t, f)
	return f
}

// unknownKey reports that key is not known, and which one was probably meant.
func unknownKey(key string, keys []string) string {
	known := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == "" || k == "-" })
	switch meant, slips := closest(key, known); {
	case meant == "":
		return "unknown key; known here: " + strings.Join(known, ", ")
	case slips == 0:
		return "unknown key; " + strconv.Quote(meant) + " is the known one"
	default:
		return "unknown key; perhaps " + strconv.Quote(meant) + " is meant"
	}
}

// Closest returns the known word that word was probably meant to be; "" when
// there is none.
func Closest(word string, known []string) string {
	meant, _ := closest(word, known)
	return meant
}

// closest returns the known key that key is another spelling of, or differs
// from by a slip or two, and how many; "" when there is none.
func closest(key string, known []string) (meant string, slips int) {
	if len(key) > maxQuoted { // too long to be a slip, and to be compared
		return "", 0
	}
	fold := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	slips = min(3, len(key)/2+1) // this many make another word
	for _, k := range known {
		d := levenshtein.ComputeDistance(fold(k), fold(key))
		if d == 2 && letters(fold(k)) == letters(fold(key)) {
			d = 1 // two letters changed places
		}
		if d < slips {
			meant, slips = k, d
		}
	}
	return meant, slips
}

// letters are the letters of a word in their order in the alphabet.
func letters(word string) string {
	sorted := []rune(word)
	slices.Sort(sorted)
	return string(sorted)
}

// want reports whether n is of kind k, and if not, adds the problem.
func want(n *Node, path string, k Kind, ps *Problems) bool {
	if n.Kind == k {
		return true
	}
	message := "expected " + k.String() + ", got " + n.Kind.String()
	if n.Kind == Null {
		message += "; leave it out instead"
	}
	ps.add(n, path, message)
	return false
}

func (ps *Problems) add(n *Node, path, message string) {
	ps.Append(Problem{Path: path, Pos: n.Pos, Message: message})
}
