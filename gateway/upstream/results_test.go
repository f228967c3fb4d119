package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/gateway/upstream"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/store/catalog"
	"toolcrib/store/storetest"
)

// counterOf returns a gateway for a server with one tool that was imported, approved and assigned to the agent scout.
func counterOf(t *testing.T, s upstream.Server) *gateway.Gateway {
	t.Helper()
	list, err := upstream.List(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := wire.Decode(list)
	if err != nil || len(doc.Items) != 1 {
		t.Fatalf("%s: %v", list, err)
	}
	item := doc.Items[0]
	db := storetest.New(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	ada := proposals.Actor{Kind: proposals.User, Name: "ada"}
	d := storetest.Action("upstream_tool")
	tool := item.ApplyTo(*d.Definition.Tool)
	tool.Approval = &registry.Approval{Tier: registry.AutoApprove}
	tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: s.Name, Name: item.Name}
	tool.Source = &registry.Source{Type: registry.SourceMCP, Ref: s.Name + "#" + item.Name, Hash: item.Hash()}
	d.Definition.Tool = &tool
	imported := catalog.Import{ID: db.NewID(), At: time.Now(), Actor: ada.String(), Format: string(doc.Format), Label: s.Name, Hash: item.Hash()}
	imported.Tools = []catalog.Raw{{Hash: item.Hash(), Body: item.Raw}}
	if err := db.KeepImport(t.Context(), imported); err != nil {
		t.Fatal(err)
	}
	agent := storetest.Agent("scout")
	agent.Definition.Agent.AllowList = &registry.AllowList{Tools: []string{tool.ID}}
	db.Approved(t, desk, ada, d)
	db.Approved(t, desk, ada, agent)
	p := upstream.NewProvider(func(string) (upstream.Server, bool) { return s, true })
	t.Cleanup(p.Close)
	g, err := gateway.New(gateway.Config{
		Ledger: db.Calls(), Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderMCP: p}, Now: time.Now, NewID: db.NewID,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// called calls the tool and compares the outcome with the audit log.
func called(t *testing.T, g *gateway.Gateway, want gateway.Code, says string) {
	t.Helper()
	who := gateway.Caller{Actor: proposals.Actor{Kind: proposals.Agent, Name: "scout"}, Agent: "scout", Layer: registry.LayerUser, User: "ada"}
	res, err := g.Execute(t.Context(), who, gateway.Request{Tool: "upstream_tool"})
	switch {
	case want == "" && (err != nil || !strings.Contains(string(res.Output), says)):
		t.Errorf("%s, %v", res.Output, err)
	case want != "" && (!errors.Is(err, want) || !strings.Contains(err.Error(), says) || res.Output != nil):
		t.Errorf("%s, %v; want %s", res.Output, err, want)
	}
	calls, err := g.Calls(t.Context(), gateway.CallQuery{Limit: 1})
	if err != nil || len(calls) != 1 || calls[0].Outcome == nil || calls[0].Outcome.Code != want {
		t.Errorf("the audit has %+v, %v", calls, err)
	}
}

// TestResultsOfAProgram calls a program that violates its output schema and one that complies with it.
func TestResultsOfAProgram(t *testing.T) {
	t.Parallel()
	shortrun.OneGoroutine(t)
	for how, want := range map[string]struct {
		code gateway.Code
		says string
	}{
		"keeps-to-it": {"", `"structuredContent":{"degrees":4}`},
		"lies":        {gateway.CodeResult, "got string, want integer"},
		"keeps-quiet": {gateway.CodeResult, "the structured result that the schema requires is missing"},
	} {
		t.Run(how, func(t *testing.T) {
			s := upstream.Server{Name: "upstream", Command: []string{os.Args[0]}, Env: []string{behaves + "=" + how}, Timeout: waitLimit}
			called(t, counterOf(t, s), want.code, want.says)
		})
	}
}

// TestResultsOverHTTP does the same with the SDK's own server, which does not validate the results of untyped tools.
func TestResultsOverHTTP(t *testing.T) {
	for name, tt := range map[string]struct {
		result mcp.CallToolResult
		code   gateway.Code
		says   string
	}{
		"fits":     {mcp.CallToolResult{StructuredContent: json.RawMessage(`{"degrees":4}`)}, "", `"degrees":4`},
		"lies":     {mcp.CallToolResult{StructuredContent: json.RawMessage(`{"degrees":4,"also":"x"}`)}, gateway.CodeResult, "'also' not allowed"},
		"quiet":    {mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "4"}}}, gateway.CodeResult, "the structured result that the schema requires is missing"},
		"in error": {mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no such city"}}}, gateway.CodeProvider, "no such city"},
	} {
		t.Run(name, func(t *testing.T) {
			server := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1"}, nil)
			server.AddTool(&mcp.Tool{Name: "weather", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(promise)},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					result := tt.result
					return &result, nil
				})
			web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
			defer web.Close()
			called(t, counterOf(t, upstream.Server{Name: "remote", URL: web.URL, Timeout: waitLimit}), tt.code, tt.says)
		})
	}
}
