package builtin_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/registry/shipped"
	"toolcrib/store/storetest"
)

// testDB is a database with the built-in tools.
type testDB struct {
	*storetest.Database
	provider *builtin.Provider
	tools    map[string]registry.Definition
	now      time.Time

	lastTask, lastMemory string
}

func newTestDB(t testing.TB) *testDB {
	t.Helper()
	return testDBOn(storetest.New(t))
}

// newYear is the time of the tests.
var newYear = time.Date(2027, time.January, 1, 12, 0, 0, 0, time.UTC)

func testDBOn(db *storetest.Database) *testDB {
	c := &testDB{Database: db, tools: map[string]registry.Definition{}, now: newYear}
	for _, d := range shipped.Assistant() {
		c.tools[d.ID()] = d
	}
	c.provider = builtin.New(db, builtin.Options{NewID: db.NewID})
	return c
}

// invocation returns a call of a tool in the catalog by a user.
func (c *testDB) invocation(user, tool, args string) gateway.Invocation {
	c.now = c.now.Add(time.Second)
	d := c.tools[tool]
	return gateway.Invocation{
		Call: c.NewID(),
		Caller: gateway.Caller{
			Actor: proposals.Actor{Kind: proposals.Agent, Name: "assistant"}, Agent: "assistant",
			Layer: registry.LayerGlobal, User: user,
		},
		Tool: registry.Live{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: tool}, Version: 1, Definition: d},
		Args: json.RawMessage(args), At: c.now,
	}
}

// as runs a tool for a user. The arguments must match the tool's input schema, and
// the result its output schema.
func (c *testDB) as(t testing.TB, user, tool, args string) (doc, error) {
	t.Helper()
	d := c.tools[tool]
	fits(t, "the arguments of "+tool, d.Tool.InputSchema, []byte(args))
	out, err := c.provider.Run(t.Context(), c.invocation(user, tool, args))
	if err != nil {
		if out.Object != nil {
			t.Errorf("%s refused and returned %s", tool, out.Object)
		}
		return nil, err
	}
	fits(t, "the result of "+tool, d.Tool.OutputSchema, out.Structured)
	for _, hidden := range []string{"deleted_at", "is_deleted", "expires_at", "owner"} {
		if strings.Contains(string(out.Object), `"`+hidden+`"`) {
			t.Errorf("%s shows %s: %s", tool, hidden, out.Object)
		}
	}
	var v doc
	if err := json.Unmarshal(out.Object, &v); err != nil {
		t.Fatal(err)
	}
	return v, nil
}

// ada runs a tool for ada, which must succeed.
func (c *testDB) ada(t testing.TB, tool, args string) doc {
	t.Helper()
	v, err := c.as(t, "ada", tool, args)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	return v
}

// refuses runs a tool for a user, which must fail with the code and with a message
// that contains all words.
func (c *testDB) refuses(t testing.TB, user, tool, args string, code gateway.Code, says ...string) {
	t.Helper()
	out, err := c.provider.Run(t.Context(), c.invocation(user, tool, args))
	if !errors.Is(err, code) {
		t.Errorf("%s %s: %s, %v; want %s", tool, args, out.Object, err, code)
		return
	}
	for _, word := range says {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s %s: %q lacks %q", tool, args, err, word)
		}
	}
}

func fits(t testing.TB, what string, schema, value []byte) {
	t.Helper()
	s, err := schemaguard.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	n, err := jsondoc.Parse(value, jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(n); err != nil {
		t.Errorf("%s do not fit: %v\n%s", what, err, value)
	}
}

// doc is a result.
type doc map[string]any

// at returns the value at a path of keys and indexes, such as "tasks.0.id".
func (d doc) at(path string) any {
	var v any = map[string]any(d)
	for _, step := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			var i int
			if err := json.Unmarshal([]byte(step), &i); err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

func (d doc) text(path string) string {
	s, _ := d.at(path).(string)
	return s
}

// column returns one text of every entry in a list.
func (d doc) column(list, key string) string {
	entries, _ := d.at(list).([]any)
	var out []string
	for _, e := range entries {
		m, _ := e.(map[string]any)
		out = append(out, doc(m).text(key))
	}
	return strings.Join(out, "|")
}

func expect[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
