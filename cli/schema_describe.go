package cli

import (
	_ "embed"
	"encoding/json"
	"path"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// descriptionsJSON has what the comments of the documents' types say of each field, by
// "package.Type.Field". A test writes it.
//
//go:embed descriptions.json
var descriptionsJSON []byte

// describe puts the comments of a type's fields into the schema that was made of it.
func describe(s *jsonschema.Schema, of reflect.Type) error {
	comments := map[string]string{}
	if err := json.Unmarshal(descriptionsJSON, &comments); err != nil {
		return err
	}
	eachField(s, of, func(p *jsonschema.Schema, name string) { p.Description = comments[name] })
	return nil
}

// eachField visits every property of a schema with the name of its field.
func eachField(s *jsonschema.Schema, of reflect.Type, visit func(property *jsonschema.Schema, name string)) {
	switch of.Kind() {
	case reflect.Pointer:
		eachField(s, of.Elem(), visit)
	case reflect.Slice, reflect.Array:
		if s.Items != nil {
			eachField(s.Items, of.Elem(), visit)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			eachField(s.AdditionalProperties, of.Elem(), visit)
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(of) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[key]
			if p == nil || f.Anonymous {
				continue
			}
			owner := of
			for _, i := range f.Index[:len(f.Index)-1] {
				if owner = owner.Field(i).Type; owner.Kind() == reflect.Pointer {
					owner = owner.Elem()
				}
			}
			visit(p, path.Base(owner.PkgPath())+"."+owner.Name()+"."+f.Name)
			eachField(p, f.Type, visit)
		}
	default: // has no fields
	}
}
