package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/internal/generated"
)

// manifestFolder holds what others rely on, one fact a line.
const manifestFolder = "testdata/manifest"

// TestManifest compares what people, scripts, agents and applications rely on with
// the manifest, so that a review sees each change of it as a line. Wording is not
// part of it.
func TestManifest(t *testing.T) {
	parts := map[string]func(*testing.T) []string{
		"commands": commandLines, "documents": documentLines, "configuration": configurationLines, "rules": ruleLines,
		"findings": findingLines, "exits": exitLines, "mcp": mcpLines, "http": httpLines,
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareManifest(t, filepath.Join(manifestFolder, name+".txt"), parts[name](t))
		})
	}
}

func compareManifest(t *testing.T, file string, want []string) {
	t.Helper()
	if len(want) < 10 {
		t.Fatalf("only %d facts: %q", len(want), want)
	}
	if generated.Updating() {
		generated.Check(t, file, []byte(strings.Join(want, "\n")+"\n"))
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if slices.Equal(got, want) {
		return
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("gone: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("new: %s", line)
		}
	}
	t.Errorf("%s differs. If that is meant, run: make generate, and say in the commit why", file)
}

// runCLI runs the program in an empty home and returns what it prints.
func runCLI(t *testing.T, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	runWith(t, strings.NewReader(""), &out, args...)
	return out.Bytes()
}

func runWith(t *testing.T, in io.Reader, out io.Writer, args ...string) {
	t.Helper()
	home := t.TempDir()
	dir, err := os.Getwd()
	if err != nil {
		t.Error(err)
	}
	variables := map[string]string{"HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home, "XDG_CACHE_HOME": home}
	var errs bytes.Buffer
	code := cli.Main(t.Context(), process.Env{
		Args: args, In: in, Out: out, Err: &errs, Dir: dir, System: home, Now: time.Now,
		Getenv: func(name string) string { return variables[name] }, NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	})
	if errs.Len() > 0 {
		t.Errorf("toolcrib %s: status %d: %s", strings.Join(args, " "), code, &errs)
	}
}

func decode[T any](t *testing.T, text []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// commandLines names each command with its aliases and its own flags.
func commandLines(*testing.T) (lines []string) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		line := cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name())
		for _, alias := range cmd.Aliases {
			line += " alias=" + alias
		}
		if cmd.Hidden {
			line += " hidden"
		}
		lines = append(lines, line)
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			line := cmd.CommandPath() + " --" + f.Name
			if f.Shorthand != "" {
				line += " -" + f.Shorthand
			}
			lines = append(lines, strings.TrimSuffix(line+" "+f.Value.Type()+" default="+f.DefValue, " default="))
		})
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(cli.Commands())
	return lines
}

// documentLines names each field of each document that is printed, and of a
// proposal's file.
func documentLines(t *testing.T) (lines []string) {
	t.Helper()
	list := decode[struct{ Schemas []string }](t, runCLI(t, "schema", "--json"))
	for _, name := range list.Schemas {
		if name != "toolcrib.toml" {
			lines = append(lines, schemaLines(name, decode[any](t, runCLI(t, "schema", name)))...)
		}
	}
	return lines
}

func configurationLines(t *testing.T) []string {
	t.Helper()
	return schemaLines("toolcrib.toml", decode[any](t, runCLI(t, "schema", "toolcrib.toml")))
}

// ruleLines names each rule with its severity.
func ruleLines(t *testing.T) (lines []string) {
	t.Helper()
	list := decode[struct {
		Rules []struct {
			ID, Severity string
			Waivable     bool
		}
	}](t, runCLI(t, "rules", "--json"))
	for _, rule := range list.Rules {
		lines = append(lines, fmt.Sprintf("%s %s waivable=%t", rule.ID, rule.Severity, rule.Waivable))
	}
	return lines
}

// findingLines names what the rules find in the proposals of the demo.
func findingLines(t *testing.T) (lines []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/demo/*")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	doc := decode[struct {
		Findings []struct{ File, Rule, Severity, Path string }
	}](t, runCLI(t, append([]string{"lint", "--json"}, files...)...))
	for _, f := range doc.Findings {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", filepath.Base(f.File), f.Rule, f.Severity, f.Path))
	}
	slices.Sort(lines)
	return lines
}

// exitLines names the code and the exit status of each error. It reads the source:
// most of them need a state of the world that is hard to make.
func exitLines(t *testing.T) (lines []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "cli/command/exit.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	named := func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.Ident:
			if code, ok := strings.CutPrefix(e.Name, "Exit"); ok {
				return "exit" + code
			}
			return e.Name
		case *ast.SelectorExpr:
			return e.X.(*ast.Ident).Name + "." + e.Sel.Name
		case *ast.BasicLit:
			return strings.Trim(e.Value, `"`)
		}
		return "?"
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			if len(n.Values) == 1 && strings.HasPrefix(named(n.Names[0]), "exit") {
				lines = append(lines, named(n.Names[0])+" = "+named(n.Values[0]))
			}
		case *ast.CompositeLit:
			if len(n.Elts) == 3 {
				lines = append(lines, fmt.Sprintf("%s: %s, %s", named(n.Elts[0]), named(n.Elts[1]), named(n.Elts[2])))
			}
		case *ast.CaseClause:
			status := "exitRefused"
			if len(n.Body) == 1 {
				if set, ok := n.Body[0].(*ast.AssignStmt); ok && named(set.Lhs[0]) == "o.exit" {
					status = named(set.Rhs[0])
				}
			}
			for _, code := range n.List {
				if name := named(code); strings.HasPrefix(name, "gateway.Code") {
					lines = append(lines, name+": "+status)
				}
			}
		}
		return true
	})
	return lines
}

// mcpLines names what `toolcrib mcp` offers and each field of it.
func mcpLines(t *testing.T) (lines []string) {
	t.Helper()
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { _ = out.Close() }()
		runWith(t, in, out, "mcp")
	}()
	defer func() {
		_ = requests.Close()
		<-ended
	}()
	read := json.NewDecoder(answers)
	ask := func(request string) (answer struct {
		Result struct {
			Capabilities map[string]any
			Tools        []map[string]any
		}
	},
	) {
		if _, err := io.WriteString(requests, request+"\n"); err != nil {
			t.Fatal(err)
		}
		if err := read.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	offered := ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"manifest","version":"1"}}}`)
	for _, name := range slices.Sorted(maps.Keys(offered.Result.Capabilities)) {
		lines = append(lines, "capability "+name+attributes(offered.Result.Capabilities[name]))
	}
	for _, tool := range ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Result.Tools {
		name := fmt.Sprint(tool["name"])
		lines = append(lines, name+attributes(tool["annotations"]))
		lines = append(lines, schemaLines(name+" input", tool["inputSchema"])...)
		lines = append(lines, schemaLines(name+" output", tool["outputSchema"])...)
	}
	return lines
}

// httpLines names what `toolcrib serve` answers and each field of it.
func httpLines(t *testing.T) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("gateway/serve/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	return jsonLines("", decode[any](t, text))
}

// wording are the keys of schemas that change nothing for a program.
var wording = []string{"description", "title", "summary", "examples", "example", "$schema", "$id"}

// jsonLines names each leaf of a document by its path, without wording.
func jsonLines(path string, v any) (lines []string) {
	switch v := v.(type) {
	case map[string]any:
		if v["type"] != nil || v["$ref"] != nil || v["anyOf"] != nil || v["const"] != nil {
			return schemaLines(path, v)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !slices.Contains(wording, key) {
				lines = append(lines, jsonLines(strings.TrimPrefix(path+" "+key, " "), v[key])...)
			}
		}
	case []any:
		for i, each := range v {
			at := strconv.Itoa(i)
			if object, ok := each.(map[string]any); ok && object["name"] != nil {
				at = fmt.Sprint(object["name"])
			}
			lines = append(lines, jsonLines(path+" "+at, each)...)
		}
	default:
		lines = append(lines, path+"="+compact(v))
	}
	return lines
}

// schemaLines names each field of a JSON Schema with its type and limits.
func schemaLines(path string, v any) (lines []string) {
	schema, ok := v.(map[string]any)
	if !ok {
		if v == nil {
			return nil
		}
		return []string{path + " " + compact(v)}
	}
	plain := maps.Clone(schema)
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, key := range []string{"properties", "required", "items", "additionalProperties", "$defs", "anyOf", "oneOf", "allOf"} {
		if _, nested := schema[key].(map[string]any); nested || key != "additionalProperties" {
			delete(plain, key)
		}
	}
	if elsewhere := slices.DeleteFunc(slices.Clone(required), func(key any) bool { return properties[fmt.Sprint(key)] != nil }); len(elsewhere) > 0 {
		plain["required"] = elsewhere
	}
	lines = append(lines, path+attributes(plain))
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		field := schemaLines(path+"."+key, properties[key])
		if slices.Contains(required, any(key)) {
			field[0] += " required"
		}
		lines = append(lines, field...)
	}
	if items := schema["items"]; items != nil {
		lines = append(lines, schemaLines(path+"[]", items)...)
	}
	if more, ok := schema["additionalProperties"].(map[string]any); ok {
		lines = append(lines, schemaLines(path+".*", more)...)
	}
	defs, _ := schema["$defs"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(defs)) {
		lines = append(lines, schemaLines(path+" $defs "+key, defs[key])...)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		choices, _ := schema[key].([]any)
		for i, each := range choices {
			lines = append(lines, schemaLines(fmt.Sprintf("%s %s %d", path, key, i), each)...)
		}
	}
	return lines
}

// attributes prints an object in one line, without wording.
func attributes(v any) string {
	object, _ := v.(map[string]any)
	var b strings.Builder
	if kind := object["type"]; kind != nil {
		b.WriteString(" " + strings.Trim(compact(kind), `"`))
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if key != "type" && !slices.Contains(wording, key) {
			fmt.Fprintf(&b, " %s=%s", key, compact(object[key]))
		}
	}
	return b.String()
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
