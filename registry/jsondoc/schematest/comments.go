// Package schematest generates parts of JSON Schemas from Go types and their
// comments. Tests use it to keep schema files consistent with the types.
package schematest

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolcrib/registry/jsondoc"
)

// Comments maps "package.Type.Field" to the comment of the field.
type Comments map[string]string

// Read returns the comments of the fields of all structs in the given folders. If
// several packages have the same name, the comment in the first package is used.
func Read(t testing.TB, folders ...string) Comments {
	t.Helper()
	comments := Comments{}
	for _, folder := range folders {
		packages, err := parser.ParseDir(token.NewFileSet(), folder, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, parser.ParseComments) //nolint:staticcheck // no types are needed
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packages {
			ast.Inspect(p, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				fields, ok := spec.Type.(*ast.StructType)
				if !ok {
					return true
				}
				for _, f := range fields.Fields.List {
					for _, name := range f.Names {
						if key := path.Base(p.Name) + "." + spec.Name.Name + "." + name.Name; comments[key] == "" {
							comments[key] = asDescription(name.Name, f.Doc.Text()+" "+f.Comment.Text())
						}
					}
				}
				return true
			})
		}
	}
	return comments
}

// asDescription converts the comment of a field to a description. It removes the
// name of the field and its verb at the start, and adds a full stop.
func asDescription(name, comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	for _, verb := range []string{" is ", " reports ", " lists ", " contains ", " names "} {
		text = strings.TrimPrefix(text, name+verb)
	}
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, ".") + "."
}

// Describe sets the properties of an object schema to the fields of the given structs.
// The description of a property is the comment of its field; if several structs have
// the property, the description combines their comments. Other attributes of existing
// properties do not change.
func (c Comments) Describe(schema *jsondoc.Node, structs ...reflect.Type) {
	before := schema.Get("properties")
	if before == nil {
		before = jsondoc.NewObject()
	}
	after := jsondoc.NewObject()
	for _, of := range structs {
		for _, f := range reflect.VisibleFields(of) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" || key == "-" || f.Anonymous {
				continue
			}
			p := either(after.Get(key), before.Get(key))
			if p == nil {
				p = inferred(f)
			}
			owner := of
			for _, i := range f.Index[:len(f.Index)-1] {
				owner = owner.Field(i).Type
			}
			text := c[path.Base(owner.PkgPath())+"."+owner.Name()+"."+f.Name]
			if first := after.Get(key); first != nil && text != "" {
				text = first.Get("description").Text + " " + text
			}
			if text != "" {
				p.Set("description", jsondoc.NewString(text))
			}
			if inner := Elem(f.Type); inner.Kind() == reflect.Struct && p.Get("properties") != nil && key != "definition" {
				c.Describe(p, inner)
			} else if items := p.Get("items"); inner.Kind() == reflect.Slice && items != nil && items.Get("properties") != nil {
				c.Describe(items, inner.Elem())
			}
			after.Set(key, p)
		}
	}
	if draft := before.Get("draft"); draft != nil {
		after.Set("draft", draft) // draft is an argument of the call and not a part of the proposal
	}
	schema.Set("properties", after)
}

func either(a, b *jsondoc.Node) *jsondoc.Node {
	if a != nil {
		return a
	}
	return b
}

// Elem returns the type to which a pointer type points. It returns other types
// unchanged.
func Elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// inferred returns the schema of a field that the schema file does not contain
// yet.
func inferred(f reflect.StructField) *jsondoc.Node {
	s := map[string]any{}
	switch t := Elem(f.Type); {
	case t == reflect.TypeFor[time.Time]():
		s["type"], s["format"] = "string", "date-time"
	case t == reflect.TypeFor[json.RawMessage]():
	case t.Kind() == reflect.String:
		s["type"] = "string"
	case t.Kind() == reflect.Bool:
		s["type"] = "boolean"
	case t.Kind() == reflect.Int:
		s["type"] = "integer"
	case t.Kind() == reflect.Slice:
		s["type"] = "array"
	default:
		s["type"] = "object"
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	n, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		panic(err)
	}
	return n
}
