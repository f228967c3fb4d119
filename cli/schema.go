package cli

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
)

// The schemas that are not of a document.
const (
	schemaOfProposals = "proposal-file"
	schemaOfConfig    = "toolcrib.toml"
)

type docSchemaList struct {
	docHead
	Schemas []string `json:"schemas"`
}

type docSchema struct {
	docHead
	Name       string          `json:"name"`
	JSONSchema json.RawMessage `json:"json_schema"`
}

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a file or document",
		Long: `Print the JSON Schema (draft 2020-12) of what toolcrib reads and prints: of proposal
files (proposal-file), of the configuration (toolcrib.toml), and of each document of
--json, by its kind. Without NAME, list the names. Documents gain fields in later
versions, so their schemas allow more than they name.`,
		Example: `  toolcrib schema
  toolcrib schema proposal-file > proposal.schema.json`,
		Args: between(0, 1, "the name of a schema at most"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schemaNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				doc := docSchemaList{head("schema.list"), schemaNames()}
				return a.print(doc, func(p *page) {
					for _, name := range doc.Schemas {
						p.linef("%s", name)
					}
				})
			}
			return runSchema(a, args[0])
		},
	}
}

func runSchema(a *app, name string) error {
	s, err := schemaNamed(name)
	if err != nil {
		return err
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return a.print(docSchema{head("schema"), name, text}, func(p *page) { p.text("", string(text)+"\n") })
}

func schemaNames() []string {
	return append([]string{schemaOfProposals, schemaOfConfig}, slices.Sorted(maps.Keys(documentTypes()))...)
}

// schemaNamed makes a schema from the Go type that is read or printed.
func schemaNamed(name string) (*jsonschema.Schema, error) {
	switch name {
	case schemaOfProposals:
		return proposalSchema()
	case schemaOfConfig:
		return configSchema(), nil
	}
	t, ok := documentTypes()[name]
	if !ok {
		return nil, notFoundf("there is no schema %q%s; `toolcrib schema` lists them", name, perhaps(name, "", schemaNames()))
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: plainSchemas()})
	if err != nil {
		return nil, err
	}
	open(s)
	s.Title = "A document of kind " + name
	s.Properties["schema"] = constant(schema)
	s.Properties["kind"] = constant(name)
	return s, nil
}

func constant(v any) *jsonschema.Schema { return &jsonschema.Schema{Const: &v} }

// open takes out that an object has no other keys than those named: documents
// gain fields. A nil map is written as null.
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

// enum is the schema of a string that is one of a few.
func enum[T ~string](values ...T) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: mapped(values, func(v T) any { return string(v) })}
}
