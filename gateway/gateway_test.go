package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/service"
	"toolcrib/store/ranking"
	"toolcrib/store/storetest"
)

// ada is the user in the tests, and scout the agent.
var (
	ada   = proposals.Actor{Kind: proposals.User, Name: "ada"}
	scout = proposals.Actor{Kind: proposals.Agent, Name: "scout"}
)

// testGateway is a gateway with a real database.
type testGateway struct {
	*gateway.Gateway
	db       *storetest.Database
	desk     *service.Desk
	provider *counter
	warnings []string
}

// counter is a provider that counts its runs and returns its arguments.
type counter struct {
	runs    atomic.Int64
	fail    error
	changed error // result of Check
	last    atomic.Pointer[gateway.Invocation]
}

func (c *counter) Check(context.Context, registry.Live) error { return c.changed }

func (c *counter) Run(_ context.Context, in gateway.Invocation) (gateway.Output, error) {
	c.runs.Add(1)
	c.last.Store(&in)
	if c.fail != nil {
		return gateway.Output{}, c.fail
	}
	return object(`{"echo":` + string(in.Args) + `}`), nil
}

// object is a structured result.
func object(text string) gateway.Output {
	return gateway.Output{Object: json.RawMessage(text), Structured: json.RawMessage(text)}
}

// open returns a gateway with a new database in which the agent scout has the tools. The counter runs all of them.
func open(t testing.TB, change func(*gateway.Config), tools ...registry.Tool) *testGateway {
	t.Helper()
	w := &testGateway{db: storetest.New(t), provider: &counter{}}
	w.desk = w.db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	allowed := []string{}
	for _, tool := range tools {
		w.approve(t, tool)
		allowed = append(allowed, tool.ID)
	}
	d := storetest.Agent("scout")
	d.Definition.Agent.AllowList = &registry.AllowList{Tools: allowed}
	w.db.Approved(t, w.desk, ada, d)
	index := ranking.NewIndex()
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	c := gateway.Config{
		Ledger: w.db.Calls(), Index: index,
		Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderBuiltin: w.provider},
		Now:       w.db.Clock.Now, NewID: w.db.NewID, Warn: func(s string) { w.warnings = append(w.warnings, s) },
	}
	if change != nil {
		change(&c)
	}
	g, err := gateway.New(c)
	if err != nil {
		t.Fatal(err)
	}
	w.Gateway = g
	return w
}

// approve adds a tool or its next version to the registry.
func (w *testGateway) approve(t testing.TB, tool registry.Tool) {
	t.Helper()
	d := storetest.Action(tool.ID)
	found := w.named(t, tool.ID)
	if len(found) > 0 && found[0].Subject.Layer == registry.LayerUser {
		base := found[0].Version
		d.Type, d.BaseVersion = proposals.Modify, &base
	}
	d.Definition = registry.Definition{Tool: &tool}
	w.db.Approved(t, w.desk, ada, d)
}

// named returns the tools with a name.
func (w *testGateway) named(t testing.TB, name string) (found []registry.Entry) {
	t.Helper()
	err := w.db.View(t.Context(), func(r review.Reader) (err error) {
		found, err = impact.Named(t.Context(), r, name, registry.LayerUser)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// allow sets scout's allow-list.
func (w *testGateway) allow(t testing.TB, tools ...string) {
	t.Helper()
	profile, _, err := w.desk.Impact.Toolset(t.Context(), "scout", registry.LayerUser, registry.Context{})
	if err != nil {
		t.Fatal(err)
	}
	d := storetest.Agent("scout")
	d.Type, d.BaseVersion = proposals.Modify, &profile.Version
	d.Definition.Agent.AllowList = &registry.AllowList{Tools: tools}
	w.db.Approved(t, w.desk, ada, d)
}

// action returns a tool that runs without asking, modified by change.
func action(id string, change func(*registry.Tool)) registry.Tool {
	tool := *storetest.Action(id).Definition.Tool
	tool.InputSchema = json.RawMessage(`{"additionalProperties":false,"properties":{"city":{"maxLength":20,"type":"string"},"days":{"type":"integer"}},"type":"object"}`)
	tool.Approval = &registry.Approval{Tier: registry.AutoApprove}
	tool.Provider = &registry.Provider{Type: registry.ProviderBuiltin}
	if change != nil {
		change(&tool)
	}
	return tool
}

// caller returns scout as a caller on behalf of ada.
func caller() gateway.Caller {
	return gateway.Caller{Actor: scout, Agent: "scout", Layer: registry.LayerUser, User: "ada"}
}

func request(tool, args string) gateway.Request {
	return gateway.Request{Tool: tool, Args: json.RawMessage(args)}
}

// refusal fails the test unless err has the code.
func refusal(t *testing.T, err error, code gateway.Code) gateway.Error {
	t.Helper()
	e := refusalOf(err)
	if e.Code != code || !errors.Is(err, code) {
		t.Fatalf("got %v; want %s", err, code)
	}
	return e
}

// refusalOf returns the refusal in err, or a zero error.
func refusalOf(err error) gateway.Error {
	var e *gateway.Error
	if errors.As(err, &e) {
		return *e
	}
	return gateway.Error{}
}

func TestExecute(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", nil))
	res, err := w.Execute(t.Context(), caller(), request("get_weather", `{ "days" : 2, "city":"Kiel"}`))
	if err != nil {
		t.Fatal(err)
	}
	if string(res.Output) != `{"echo":{"city":"Kiel","days":2}}` || res.Version != 1 || res.Tool.String() != "tool:user/get_weather" || res.Call == "" || res.Duration <= 0 {
		t.Errorf("got %+v", res)
	}
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 10})
	if err != nil || len(calls) != 1 {
		t.Fatalf("got %v, %v", calls, err)
	}
	c := calls[0]
	if c.ID != res.Call || c.Caller.Actor != scout || c.Caller.User != "ada" || c.Version != 1 || c.Nth != 1 || c.Outcome == nil || c.Outcome.Code != "" || c.Outcome.Duration != res.Duration.Truncate(1000) {
		t.Errorf("got %+v, %+v", c, c.Outcome)
	}
}

// TestUnknownToolIsRecorded checks that an unknown name is refused with an explanation and recorded.
func TestUnknownToolIsRecorded(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", nil))
	_, err := w.Execute(t.Context(), caller(), request("get_wether", `{}`))
	refusal(t, err, gateway.CodeUnknown)
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 10, Code: gateway.CodeUnknown})
	if err != nil || len(calls) != 1 || calls[0].Name != "get_wether" || calls[0].Nth != 0 {
		t.Fatalf("got %+v, %v", calls, err)
	}
}
