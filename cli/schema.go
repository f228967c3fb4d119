// This file derives JSON schemas from the types of documents and files.

package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/gateway/mcp"
	"toolcrib/history/diff"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// Names of the schemas that describe input files. All other schemas describe printed documents.
const (
	schemaOfProposals = "proposal-file"
	schemaOfConfig    = "toolcrib.toml"
)

type docSchemaList struct {
	output.Head
	Schemas []string `json:"schemas"`
}

type docSchema struct {
	output.Head
	Name       string          `json:"name"`
	JSONSchema json.RawMessage `json:"json_schema"`
}

func newSchema(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "schema [NAME]",
		Args: command.ArgsBetween(0, 1, "at most one schema name"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schemaNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				doc := docSchemaList{output.NewHead("schema.list"), schemaNames()}
				return a.Print(doc, func(p *output.Page) {
					for _, name := range doc.Schemas {
						p.Linef("%s", name)
					}
				})
			}
			s, err := schemaNamed(args[0])
			if err != nil {
				return err
			}
			s.Schema = "https://json-schema.org/draft/2020-12/schema"
			text, err := json.MarshalIndent(s, "", "  ")
			if err != nil {
				return err
			}
			return a.Print(docSchema{output.NewHead("schema"), args[0], text}, func(p *output.Page) { p.Text("", string(text)+"\n") })
		},
	}
}

func schemaNames() []string {
	return append([]string{schemaOfProposals, schemaOfConfig}, slices.Sorted(maps.Keys(documentTypes()))...)
}

// schemaNamed returns the schema with the given name. The schema is derived from the Go type of the file or document.
func schemaNamed(name string) (*jsonschema.Schema, error) {
	switch name {
	case schemaOfProposals:
		text, err := mcp.ProposalSchema()
		if err != nil {
			return nil, err
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, err
		}
		delete(s.Properties, "draft") // an argument of the MCP tool, but not a key of proposals
		optional(&s)                  // drafts may be incomplete
		return &s, nil
	case schemaOfConfig:
		return configSchema(), nil
	}
	t, ok := documentTypes()[name]
	if !ok {
		return nil, fmt.Errorf("%w: schema %q%s; `toolcrib schema` lists all schemas", proposals.ErrNotFound, name, output.DidYouMean(name, "", schemaNames()))
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: plainSchemas()})
	if err != nil {
		return nil, err
	}
	comments := map[string]string{}
	if err := json.Unmarshal(descriptionsJSON, &comments); err != nil {
		return nil, err
	}
	eachField(s, t, func(p *jsonschema.Schema, name string) { p.Description = comments[name] })
	open(s)
	s.Title = "A document of kind " + name
	s.Properties["schema"] = constant(output.Schema)
	s.Properties["kind"] = constant(name)
	return s, nil
}

func constant(v any) *jsonschema.Schema { return &jsonschema.Schema{Const: &v} }

// open permits additional properties in s and its subschemas, because later versions can add fields to documents. It
// also permits null for maps, because a nil map is encoded as null.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	} else if s.Type == "object" {
		s.Type, s.Types = "", []string{"null", "object"}
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.AdditionalProperties)
	open(s.Items)
	for _, each := range s.AnyOf {
		open(each)
	}
}

// enum returns the schema of a string with a fixed set of values.
func enum[T ~string](values ...T) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: lists.Map(values, func(v T) any { return string(v) })}
}

// documentTypes returns the types of all printed documents by kind.
func documentTypes() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, f := range families() {
		for kind, doc := range f.Documents {
			all[kind] = reflect.TypeOf(doc)
		}
	}
	return all
}

// plainSchemas returns the schemas of types with a custom JSON encoding.
func plainSchemas() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():    {},
		reflect.TypeFor[registry.Subject]():   {Type: "string"},
		reflect.TypeFor[registry.AllowList](): {Types: []string{"string", "array", "object"}},
		reflect.TypeFor[proposals.Actor]():    {Type: "string"},
		reflect.TypeFor[proposals.Type]():     enum(proposals.Types()...),
		reflect.TypeFor[diff.Kind]():          {Type: "string"},
		reflect.TypeFor[diff.Span]():          {Type: "array", Items: &jsonschema.Schema{Type: "integer"}, MinItems: jsonschema.Ptr(2), MaxItems: jsonschema.Ptr(2)},
		reflect.TypeFor[proposals.Expect]():   enum(proposals.ExpectPass, proposals.ExpectFail),
	}
}

// optional makes all properties of s and of its subschemas optional.
func optional(s *jsonschema.Schema) {
	s.Required = nil
	for _, p := range s.Properties {
		optional(p)
	}
	if s.Items != nil {
		optional(s.Items)
	}
}

// configSchema returns the schema of toolcrib.toml. It does not permit unknown keys.
func configSchema() *jsonschema.Schema {
	s := tomlSchema(reflect.TypeFor[settings.Config]())
	s.Title = "The configuration of toolcrib"
	s.Properties["guard"].Properties = map[string]*jsonschema.Schema{"notice": {Type: "boolean"}} // the only key that is not the name of a server
	return s
}

func tomlSchema(t reflect.Type) *jsonschema.Schema {
	if t == reflect.TypeFor[rules.Severity]() {
		return enum(rules.Block, rules.Warn, rules.Info, rules.Off)
	}
	if t == reflect.TypeFor[settings.PromptGate]() {
		return enum(settings.ReviewPrompts, settings.PassPrompts)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return tomlSchema(t.Elem())
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: tomlSchema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: tomlSchema(t.Elem())}
	case reflect.Struct:
		s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
		for _, f := range reflect.VisibleFields(t) {
			if key := f.Tag.Get("toml"); key != "" {
				s.Properties[key] = tomlSchema(f.Type)
			}
		}
		return s
	default:
		return &jsonschema.Schema{Type: "integer"}
	}
}

// descriptionsJSON is a JSON object with the comment of each field of the document types. The keys have the form
// "package.Type.Field". A test generates the object.
//
//go:embed descriptions.json
var descriptionsJSON []byte

// eachField calls visit for every property of s, the schema of goType. name is the struct field of the property, in the
// form "package.Type.Field".
func eachField(s *jsonschema.Schema, goType reflect.Type, visit func(property *jsonschema.Schema, name string)) {
	switch goType.Kind() {
	case reflect.Pointer:
		eachField(s, goType.Elem(), visit)
	case reflect.Slice, reflect.Array:
		if s.Items != nil {
			eachField(s.Items, goType.Elem(), visit)
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			eachField(s.AdditionalProperties, goType.Elem(), visit)
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(goType) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[key]
			if p == nil || f.Anonymous {
				continue
			}
			owner := goType
			for _, i := range f.Index[:len(f.Index)-1] {
				if owner = owner.Field(i).Type; owner.Kind() == reflect.Pointer {
					owner = owner.Elem()
				}
			}
			visit(p, path.Base(owner.PkgPath())+"."+owner.Name()+"."+f.Name)
			eachField(p, f.Type, visit)
		}
	default: // a type without fields
	}
}
