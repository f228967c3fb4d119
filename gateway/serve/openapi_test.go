package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/gateway/mcp"
	"toolcrib/gateway/serve"
	"toolcrib/internal/generated"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/jsondoc/schematest"
)

// openAPI contains the parts of the document that tests read.
type openAPI struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name, In string
		}
		Security  *[]any
		Responses map[string]struct {
			Content map[string]json.RawMessage
		}
	}
}

func readOpenAPI(t testing.TB) openAPI {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc openAPI
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPIHasEveryField compares the schemas with the types of responses and their comments (H17).
func TestOpenAPIHasEveryField(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsondoc.Parse(text, jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	comments := schematest.Read(t, ".", "../mcp", "../follow")
	schemas := doc.Get("components").Get("schemas")
	for name, of := range serve.Documents() {
		schema := schemas.Get(name)
		before := schema.Get("properties")
		comments.Describe(schema, of)
		if name == "Config" { // the prompt is added to the other fields
			for _, key := range []string{"channel", "prompt"} {
				schema.Get("properties").Set(key, before.Get(key))
			}
		}
	}
	comments.Describe(schemas.Get("Error").Get("properties").Get("error"), reflect.TypeFor[mcp.Fault]())
	generated.Check(t, "openapi.json", jsondoc.Indent(doc))
}

// TestOpenAPIHasEveryRoute compares paths, methods, parameters and authentication with the routes of the server.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	doc := readOpenAPI(t)
	described := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			var query []string
			for _, p := range op.Parameters {
				if p.In == "query" {
					query = append(query, p.Name)
				}
			}
			slices.Sort(query)
			described[fmt.Sprint(strings.ToUpper(method), " ", path, " ", query, " ", op.Security != nil)] = true
		}
	}
	served := map[string]bool{}
	for _, r := range serve.Routes() {
		query := slices.Sorted(slices.Values(r.Query))
		methods := []string{r.Method}
		if r.Method == "" {
			methods = []string{"GET", "POST", "DELETE"}
		}
		for _, method := range methods {
			served[fmt.Sprint(method, " ", r.Pattern, " ", query, " ", r.Open)] = true
		}
	}
	for line := range described {
		if !served[line] {
			t.Errorf("openapi.json has %s, which is not served", line)
		}
	}
	for line := range served {
		if !described[line] {
			t.Errorf("%s is served and not in openapi.json", line)
		}
	}
}

// seen contains the responses that tests of this package have received, as "METHOD path status".
var seen = struct {
	sync.Mutex
	answers map[string]bool
}{answers: map[string]bool{}}

// meet records that a response was received.
func meet(method, pattern, status string) {
	seen.Lock()
	defer seen.Unlock()
	seen.answers[method+" "+pattern+" "+status] = true
}

// documented compares every response with openapi.json: status, media type and schema.
type documented struct{ *server }

func (d documented) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.transport().RoundTrip(r)
	if err != nil {
		return nil, err
	}
	pattern, op := d.operation(r)
	if op == nil {
		return resp, nil
	}
	status := strconv.Itoa(resp.StatusCode)
	described, ok := op.Responses[status]
	if !ok {
		if resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusRequestTimeout && pattern != "/mcp" {
			d.Errorf("%s %s: %s is not in openapi.json", r.Method, pattern, resp.Status)
		}
		described = op.Responses["default"]
	}
	meet(r.Method, pattern, status)
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if schema, ok := described.Content[kind]; ok && kind == "application/json" {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(text))
		d.fits(r.Method+" "+pattern+" "+status, schema, text)
	} else if !ok && len(described.Content) > 0 {
		d.Errorf("%s %s: %s is %q, which is not in openapi.json", r.Method, pattern, resp.Status, kind)
	}
	return resp, nil
}

// operation returns the operation for a request in openapi.json.
func (d documented) operation(r *http.Request) (string, *struct {
	Parameters []struct{ Name, In string }
	Security   *[]any
	Responses  map[string]struct{ Content map[string]json.RawMessage }
},
) {
	for pattern, methods := range readOpenAPI(d).Paths {
		if regexp.MustCompile("^" + regexp.MustCompile(`\\{[a-z]+\\}`).ReplaceAllString(strings.ReplaceAll(regexp.QuoteMeta(pattern), `\{file\}`, ".+"), "[^/]+") + "$").MatchString(r.URL.Path) {
			if op, ok := methods[strings.ToLower(r.Method)]; ok {
				return pattern, &op
			}
		}
	}
	return "", nil
}

// fits validates a document against a schema from openapi.json.
func (d documented) fits(what string, content json.RawMessage, text []byte) {
	whole, err := os.ReadFile("openapi.json")
	if err != nil {
		d.Fatal(err)
	}
	api, err := jsonschema.UnmarshalJSON(bytes.NewReader(whole))
	if err != nil {
		d.Fatal(err)
	}
	var one struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(content, &one); err != nil {
		d.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.ReplaceAll(string(one.Schema), `"#/`, `"api.json#/`)))
	if err != nil {
		d.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("file:///api.json", api); err != nil {
		d.Fatal(err)
	}
	if err := c.AddResource("file:///answer.json", schema); err != nil {
		d.Fatal(err)
	}
	compiled, err := c.Compile("file:///answer.json")
	if err != nil {
		d.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = compiled.Validate(v)
	}
	if err != nil {
		d.Errorf("%s is not as in openapi.json: %v\n%.500s", what, err, text)
	}
}

// metAll reports every response in openapi.json that no test received.
func metAll(t *testing.T) {
	t.Helper()
	seen.Lock()
	defer seen.Unlock()
	for path, methods := range readOpenAPI(t).Paths {
		for method, op := range methods {
			for status := range op.Responses {
				if line := strings.ToUpper(method) + " " + path + " " + status; status != "default" && !seen.answers[line] {
					t.Errorf("%s is in openapi.json, and no request got it", line)
				}
			}
		}
	}
}
