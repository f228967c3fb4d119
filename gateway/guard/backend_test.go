package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/guard"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
)

// approvedLedger has the approved tools of a server and their JSON by hash.
type approvedLedger struct {
	gateway.Ledger
	impact.ToolReader
	state int64
	lives []registry.Live
	raws  map[string]string
}

func (l *approvedLedger) View(_ context.Context, fn func(gateway.LedgerReader) error) error {
	return fn(gateway.LedgerReader{ToolReader: l})
}

func (l *approvedLedger) State(context.Context) (int64, error) { return l.state, nil }

func (l *approvedLedger) FromServer(context.Context, string) ([]registry.Live, error) {
	return l.lives, nil
}

func (l *approvedLedger) Raw(_ context.Context, hash string) ([]byte, bool, error) {
	raw, ok := l.raws[hash]
	return []byte(raw), ok, nil
}

func (l *approvedLedger) Wait(context.Context, int64, time.Duration) int64 { return 0 }

func (l *approvedLedger) Path() string { return "" }

func (l *approvedLedger) approve(name string) {
	raw := fmt.Sprintf(`{"name":%q,"description":"Look.","inputSchema":{"type":"object"}}`, name)
	hash := registry.HashBytes([]byte(raw))
	l.raws[hash] = raw
	l.state++
	l.lives = append(l.lives, registry.Live{
		Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: name},
		Definition: registry.Definition{Tool: &registry.Tool{
			ID: name, Kind: registry.ActionTool, Status: registry.Active, Source: &registry.Source{Type: registry.SourceMCP, Ref: "far#" + name, Hash: hash},
		}},
	})
}

// TestApprovedIsCached reads the approved tools again without a change, as an idle guard does several times a second.
func TestApprovedIsCached(t *testing.T) {
	l := &approvedLedger{raws: map[string]string{}}
	g, err := gateway.New(gateway.Config{Ledger: l, Now: time.Now, NewID: func() string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	actor := proposals.Actor{Kind: proposals.Agent, Name: "guard"}
	db := &guard.Database{Name: "far", Open: func(context.Context) (guard.Connection, error) {
		return guard.Connection{Store: l, Gateway: g, Caller: gateway.Caller{Actor: actor, Agent: "guard", User: "mara"}}, nil
	}}
	read := func() map[string]guard.Tool {
		t.Helper()
		approved, err := db.Approved(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return approved.Tools
	}
	for n := range 300 {
		l.approve(fmt.Sprintf("tool_%d", n))
	}
	if n := len(read()); n != 300 {
		t.Fatalf("%d tools are approved", n)
	}
	if n := testing.AllocsPerRun(10, func() { read() }); n > 100 {
		t.Errorf("%v allocations without a change", n)
	}
	l.approve("look")
	last := l.lives[300].Definition.Tool.Source.Hash
	raw := l.raws[last]
	delete(l.raws, last)
	if tools := read(); len(tools) != 300 {
		t.Errorf("%d tools, although the JSON of one is missing", len(tools))
	}
	l.raws[last] = raw // stored late
	if tools := read(); string(tools["look"].Raw) != raw || !json.Valid(tools["tool_7"].Raw) {
		t.Errorf("%d tools after the JSON was stored", len(tools))
	}
}
