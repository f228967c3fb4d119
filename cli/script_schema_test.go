package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolcrib/cli"
	"toolcrib/cli/process"
)

// schemas caches the compiled schema of each kind, because scripts run in parallel.
var schemas sync.Map //nolint:gochecknoglobals // a cache of what never changes

// checkSchema validates a document with the schema that toolcrib prints for its kind. It accepts all output that is not
// a document, such as text and exported files.
func checkSchema(ts *testscript.TestScript, text string) {
	var head struct {
		Schema int    `json:"schema"`
		Kind   string `json:"kind"`
	}
	if !strings.HasPrefix(text, `{"schema":1,"kind":"`) || json.Unmarshal([]byte(text), &head) != nil {
		return
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	ts.Check(err)
	s, err := schemaOf(head.Kind)
	ts.Check(err)
	if err := s.Validate(doc); err != nil {
		ts.Fatalf("the document is not as `toolcrib schema %s` says: %v\n%s", head.Kind, err, text)
	}
}

func schemaOf(kind string) (*jsonschema.Schema, error) {
	if s, ok := schemas.Load(kind); ok {
		return s.(*jsonschema.Schema), nil
	}
	var out, errs bytes.Buffer
	env := process.Env{Args: []string{"schema", kind}, In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) string { return "" }}
	if code := cli.Main(context.Background(), env); code != 0 {
		return nil, fmt.Errorf("schema %s: exit status %d: %s", kind, code, errs.String())
	}
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(kind, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(kind)
	if err == nil {
		schemas.Store(kind, s)
	}
	return s, err
}
