package cli

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"toolcrib/cli/document"
	"toolcrib/cli/findings"
	"toolcrib/gateway/mcp"
	"toolcrib/internal/generated"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/jsondoc/schematest"
)

const toolsFile = "../gateway/mcp/tools.json"

// TestGeneratedSchemas compares the schemas of proposals, definitions, findings, and errors for agents with the Go
// types and their comments. Limits in the file are kept (C39).
func TestGeneratedSchemas(t *testing.T) {
	text, err := os.ReadFile(toolsFile)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	c := schematest.Read(t, "../registry", "../proposals", "../proposals/facts", ".", "document", "findings", "../gateway/mcp")
	var proposal *jsondoc.Node // the arguments that contain a proposal
	for _, tool := range tools.Items {
		input := tool.Get("inputSchema")
		if tool.Get("name").Text == "propose_tool" {
			proposal = input.Get("properties")
			c.Describe(input, reflect.TypeFor[proposals.Draft]())
			c.Describe(proposal.Get("definition"), reflect.TypeFor[registry.Tool](), reflect.TypeFor[registry.Agent](), reflect.TypeFor[registry.List](), reflect.TypeFor[registry.Folder]())
		} else if own := input.Get("properties"); own.Get("definition") != nil {
			for _, m := range proposal.Members {
				if !slices.Contains([]string{"definition", "testCases", "draft"}, m.Key) {
					own.Set(m.Key, m.Value)
				}
			}
		}
		if answer := tool.Get("outputSchema"); answer != nil {
			describeAnswer(c, answer)
		}
	}
	generated.Check(t, toolsFile, jsondoc.Indent(tools))
	comparePage(t, definitionsPage(proposal))
}

// TestDescriptions compares the descriptions printed by `schema` with the comments of the documents' types (H17).
func TestDescriptions(t *testing.T) {
	names, folders := map[string]bool{}, map[string]bool{}
	for _, of := range documentTypes() {
		s, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: plainSchemas()})
		if err != nil {
			t.Fatal(err)
		}
		eachField(s, of, func(_ *jsonschema.Schema, name string) { names[name] = true })
		addFolders(folders, of, map[reflect.Type]bool{})
	}
	comments := schematest.Read(t, slices.Sorted(maps.Keys(folders))...)
	said := map[string]string{}
	for name := range names {
		if comments[name] != "" {
			said[name] = comments[name]
		}
	}
	want, err := json.MarshalIndent(said, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	generated.Check(t, "descriptions.json", want)
	t.Logf("%d of %d fields have a comment", len(said), len(names))
}

// addFolders adds the folders of a type and of all types that it contains.
func addFolders(folders map[string]bool, of reflect.Type, seen map[reflect.Type]bool) {
	if seen[of] {
		return
	}
	seen[of] = true
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		addFolders(folders, of.Elem(), seen)
	case reflect.Struct:
		if folder, ours := strings.CutPrefix(of.PkgPath(), "toolcrib/"); ours {
			folders["../"+folder] = true
		}
		for i := range of.NumField() {
			addFolders(folders, of.Field(i).Type, seen)
		}
	default: // has no fields
	}
}

// describeAnswer generates the parts that the results of several tools have in common.
func describeAnswer(c schematest.Comments, schema *jsondoc.Node) {
	parts := schema.Get("properties")
	if p := parts.Get("proposal"); p != nil && p.Get("properties").Get("rationale") != nil {
		c.Describe(p, reflect.TypeFor[document.WholeDetail]())
	} else if p != nil {
		c.Describe(p, reflect.TypeFor[facts.Document]())
	}
	if list := parts.Get("proposals"); list != nil {
		c.Describe(list.Get("items"), reflect.TypeFor[facts.Document]())
	}
	if found := parts.Get("findings"); found != nil {
		c.Describe(found.Get("items"), reflect.TypeFor[findings.Finding]())
	}
	if fault := parts.Get("error"); fault != nil {
		c.Describe(fault, reflect.TypeFor[mcp.Fault]())
	}
}

// definitionsPage lists the keys of each kind of definition, of a proposal, and of its test cases.
func definitionsPage(proposal *jsondoc.Node) string {
	var b strings.Builder
	definition := proposal.Get("definition").Get("properties")
	cases := proposal.Get("testCases").Get("items").Get("properties")
	for _, part := range []struct {
		title string
		of    reflect.Type
		keys  *jsondoc.Node
	}{
		{"Keys of a proposal", reflect.TypeFor[proposals.Draft](), proposal},
		{"Keys of a tool", reflect.TypeFor[registry.Tool](), definition},
		{"Keys of an agent", reflect.TypeFor[registry.Agent](), definition},
		{"Keys of an allow-list", reflect.TypeFor[registry.List](), definition},
		{"Keys of a skill and of instructions", reflect.TypeFor[registry.Folder](), definition},
		{"Keys of a test case", reflect.TypeFor[proposals.TestCase](), cases},
		{"Keys of a check", reflect.TypeFor[proposals.Check](), cases.Get("checks").Get("items").Get("properties")},
	} {
		b.WriteString("\n## " + part.title + "\n\n| key | meaning |\n|---|---|\n")
		writeKeys(&b, "", part.of, part.keys)
	}
	return b.String()
}

func writeKeys(b *strings.Builder, prefix string, of reflect.Type, keys *jsondoc.Node) {
	for _, f := range reflect.VisibleFields(of) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		of := keys.Get(key)
		text := ""
		if d := of.Get("description"); d != nil {
			text = d.Text
		}
		if values := of.Get("enum"); values != nil {
			names := make([]string, len(values.Items))
			for i, v := range values.Items {
				names[i] = "`" + v.Text + "`"
			}
			text = strings.TrimSpace(text + " One of " + strings.Join(names, ", ") + ".")
		}
		if most := of.Get("maxLength"); most != nil {
			text += " At most " + most.Text + " characters."
		}
		b.WriteString("| `" + prefix + key + "` | " + strings.ReplaceAll(text, "|", `\|`) + " |\n")
		if inner := schematest.Elem(f.Type); inner.Kind() == reflect.Struct && of.Get("properties") != nil && key != "definition" {
			writeKeys(b, prefix+key+".", inner, of.Get("properties"))
		}
	}
}

const (
	definitionsDoc   = "../docs/definitions.md"
	beginDefinitions = "<!-- The rest is generated from the types that a proposal is decoded into. -->\n"
)

// comparePage compares the generated part of docs/definitions.md with the expected text.
func comparePage(t *testing.T, want string) {
	t.Helper()
	text, err := os.ReadFile(definitionsDoc)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(text), beginDefinitions)
	if !ok {
		t.Fatalf("%s lacks the line before its generated part", definitionsDoc)
	}
	generated.Check(t, definitionsDoc, []byte(head+beginDefinitions+want))
}
