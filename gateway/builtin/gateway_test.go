package builtin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// TestToolsThroughGateway calls tools as an agent does: with all checks of the
// gateway and the approved definitions.
func TestToolsThroughGateway(t *testing.T) {
	c := newTestDB(t)
	g, err := gateway.New(gateway.Config{
		Ledger: c.Calls(), Now: c.Clock.Now, NewID: c.NewID,
		Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderBuiltin: c.provider},
	})
	if err != nil {
		t.Fatal(err)
	}
	agent := gateway.Caller{Actor: proposals.Actor{Kind: proposals.Agent, Name: "assistant"}, Agent: "assistant", Layer: registry.LayerGlobal, User: "ada"}
	call := func(tool, args string) (doc, error) {
		res, err := g.Execute(t.Context(), agent, gateway.Request{Tool: tool, Args: json.RawMessage(args)})
		var d doc
		if err == nil {
			err = json.Unmarshal(res.Output, &d)
		}
		return d, err
	}
	made, err := call("create_tasks", `{"tasks":[{"title":"Book the ferry","tags":["a","b"]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	id := made.text("tasks.0.id")
	if _, err := call("create_tasks", `{"tasks":[{"title":""}]}`); !errors.Is(err, gateway.CodeArguments) {
		t.Errorf("an empty title: %v", err)
	}
	if _, err := call("search_gmail", `{"query":"ferry"}`); !errors.Is(err, gateway.CodeNotConnected) {
		t.Errorf("mail: %v", err)
	}
	if _, err := call("set_project", `{"project":"Sweden"}`); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("an unknown project: %v", err)
	}

	_, err = call("delete_tasks", fmt.Sprintf(`{"ids":[%q]}`, id))
	var waits *gateway.Error
	if !errors.As(err, &waits) || waits.Code != gateway.CodeApprovalRequired {
		t.Fatalf("deleting: %v", err)
	}
	still, err := call("get_tasks", `{}`)
	if err != nil || still.column("tasks", "id") != id {
		t.Errorf("before the approval: %v, %v", still, err)
	}
	res, err := g.Approve(t.Context(), proposals.Actor{Kind: proposals.User, Name: "ada"}, waits.Pending, "")
	if err != nil || !strings.Contains(string(res.Output), `"deleted":["`+id) {
		t.Errorf("after the approval: %s, %v", res.Output, err)
	}
	left, err := call("get_tasks", `{"status":"any"}`)
	if err != nil || left.column("tasks", "id") != "" {
		t.Errorf("left: %v, %v", left, err)
	}
}
