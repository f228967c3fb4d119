package cli

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/cli/document"
	"toolcrib/cli/report"
	"toolcrib/gateway/mcp"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

const toolsFile = "../gateway/mcp/tools.json"

// TestGeneratedSchemas compares the schemas of proposals, definitions, findings and
// errors that agents get with the Go types and their comments. Limits are kept as the
// file has them. (C39)
func TestGeneratedSchemas(t *testing.T) {
	text, err := os.ReadFile(toolsFile)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	g := generator{readComments(t, "../registry", "../proposals", "../proposals/facts", ".", "report", "../gateway/mcp")}
	var proposal *jsondoc.Node // the arguments that are a proposal
	for _, tool := range tools.Items {
		input := tool.Get("inputSchema")
		if tool.Get("name").Text == "propose_tool" {
			proposal = input.Get("properties")
			g.properties(input, proposals.FileType())
			g.properties(proposal.Get("definition"), reflect.TypeFor[registry.Tool](), reflect.TypeFor[registry.Agent](), reflect.TypeFor[registry.List](), reflect.TypeFor[registry.Folder]())
		} else if own := input.Get("properties"); own.Get("definition") != nil {
			for _, m := range proposal.Members {
				if !slices.Contains([]string{"definition", "testCases", "draft"}, m.Key) {
					own.Set(m.Key, m.Value)
				}
			}
		}
		if output := tool.Get("outputSchema"); output != nil {
			g.output(output)
		}
	}
	want := jsondoc.Indent(tools)
	if *updateDocs {
		if err := os.WriteFile(toolsFile, want, 0o600); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != string(want) {
		t.Errorf("%s is not what the types say; run: go test ./cli -run GeneratedSchemas -update-docs", toolsFile)
	}
	comparePage(t, definitionsPage(proposal))
}

// output generates the parts of a tool's answer that several tools have.
func (g generator) output(schema *jsondoc.Node) {
	parts := schema.Get("properties")
	if p := parts.Get("proposal"); p != nil && p.Get("properties").Get("rationale") != nil {
		g.properties(p, reflect.TypeFor[document.WholeDetail]())
	} else if p != nil {
		g.properties(p, reflect.TypeFor[facts.Document]())
	}
	if list := parts.Get("proposals"); list != nil {
		g.properties(list.Get("items"), reflect.TypeFor[facts.Document]())
	}
	if found := parts.Get("findings"); found != nil {
		g.properties(found.Get("items"), reflect.TypeFor[report.Finding]())
	}
	if fault := parts.Get("error"); fault != nil {
		g.properties(fault, reflect.TypeFor[mcp.Fault]())
	}
}

// generator has the comments of fields, by "Type.Field".
type generator struct{ comments map[string]string }

// readComments reads the comments of the fields of all structs in some folders. Types
// of one name in several folders are told apart by the order: the first counts.
func readComments(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	comments := map[string]string{}
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

// asDescription makes a description of a comment, which may begin with the name of its
// field.
func asDescription(name, comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	text = strings.TrimPrefix(text, name+" is ")
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, ".") + "."
}

// properties gives an object the properties that structs have, with their comments. A
// property of several structs has the comments of all.
func (g generator) properties(schema *jsondoc.Node, structs ...reflect.Type) {
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
				p = g.inferred(f)
			}
			owner := of
			for _, i := range f.Index[:len(f.Index)-1] {
				owner = owner.Field(i).Type
			}
			text := g.comments[path.Base(owner.PkgPath())+"."+owner.Name()+"."+f.Name]
			if first := after.Get(key); first != nil && text != "" {
				text = first.Get("description").Text + " " + text
			}
			if text != "" {
				p.Set("description", jsondoc.NewString(text))
			}
			if inner := elem(f.Type); inner.Kind() == reflect.Struct && p.Get("properties") != nil && key != "definition" {
				g.properties(p, inner)
			} else if items := p.Get("items"); inner.Kind() == reflect.Slice && items != nil && items.Get("properties") != nil {
				g.properties(items, inner.Elem())
			}
			after.Set(key, p)
		}
	}
	if draft := before.Get("draft"); draft != nil {
		after.Set("draft", draft) // an argument beside the proposal
	}
	schema.Set("properties", after)
}

func either(a, b *jsondoc.Node) *jsondoc.Node {
	if a != nil {
		return a
	}
	return b
}

func elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// inferred returns the schema of a field that the file does not have yet.
func (g generator) inferred(f reflect.StructField) *jsondoc.Node {
	s := map[string]any{}
	switch t := elem(f.Type); {
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

// definitionsPage lists the keys of each kind of definition, of a proposal, and of its
// test cases.
func definitionsPage(proposal *jsondoc.Node) string {
	var b strings.Builder
	definition := proposal.Get("definition").Get("properties")
	cases := proposal.Get("testCases").Get("items").Get("properties")
	for _, part := range []struct {
		title string
		of    reflect.Type
		keys  *jsondoc.Node
	}{
		{"Keys of a proposal", proposals.FileType(), proposal},
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
		if inner := elem(f.Type); inner.Kind() == reflect.Struct && of.Get("properties") != nil && key != "definition" {
			writeKeys(b, prefix+key+".", inner, of.Get("properties"))
		}
	}
}

const (
	definitionsDoc   = "../docs/definitions.md"
	beginDefinitions = "<!-- The rest is generated from the types that a proposal is decoded into. -->\n"
)

// comparePage compares the generated part of docs/definitions.md with what it has to be.
func comparePage(t *testing.T, want string) {
	t.Helper()
	text, err := os.ReadFile(definitionsDoc)
	if err != nil {
		t.Fatal(err)
	}
	head, generated, ok := strings.Cut(string(text), beginDefinitions)
	switch {
	case !ok:
		t.Fatalf("%s lacks the line before its generated part", definitionsDoc)
	case generated == want:
	case *updateDocs:
		if err := os.WriteFile(definitionsDoc, []byte(head+beginDefinitions+want), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the types say; run: go test ./cli -run GeneratedSchemas -update-docs", definitionsDoc)
	}
}
