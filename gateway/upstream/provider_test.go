package upstream_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/upstream"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// approved returns a call of a tool that was imported from a server and approved.
func approved(t testing.TB, name, raw string) gateway.Invocation {
	t.Helper()
	hash, err := wire.HashRaw([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	tool := &registry.Tool{
		ID: "upstream_tool", Kind: registry.ActionTool, Provider: &registry.Provider{Type: registry.ProviderMCP, Server: "upstream", Name: name},
		Source: &registry.Source{Type: registry.SourceMCP, Ref: "upstream#" + name, Hash: hash},
	}
	return gateway.Invocation{
		Caller: gateway.Caller{Actor: proposals.Actor{Kind: proposals.Agent, Name: "a"}},
		Tool: registry.Live{
			Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: tool.ID}, Version: 3, Definition: registry.Definition{Tool: tool},
		},
		Args: json.RawMessage(`{"text":"hi"}`),
	}
}

// providerOf returns a provider for one server.
func providerOf(t testing.TB, how string) *upstream.Provider {
	t.Helper()
	p := upstream.NewProvider(func(name string) (upstream.Server, bool) { return program(how), name == "upstream" })
	t.Cleanup(p.Close)
	return p
}

func TestRunsWhatWasApproved(t *testing.T) {
	p := providerOf(t, "pages")
	in := approved(t, "echo", "\n "+echoTool)
	for range 2 {
		out, err := p.Run(t.Context(), in)
		if err != nil || !strings.Contains(string(out.Object), `"args":{"text":"hi"},"big":12345678901234567890`) {
			t.Fatalf("%s, %v", out.Object, err)
		}
	}
	_, err := p.Run(t.Context(), approved(t, "other-tool", otherTool))
	var refused *gateway.Error
	if !errors.As(err, &refused) || refused.Code != gateway.CodeProvider || refused.Message != "no such city" || !json.Valid(refused.Details) {
		t.Errorf("an error of the tool: %v", err)
	}
}

func TestRefusesWhatIsNotApproved(t *testing.T) {
	shortrun.OneGoroutine(t)
	for how, in := range map[string]gateway.Invocation{
		"plain":    approved(t, "echo", strings.Replace(echoTool, "again", "Again", 1)),
		"pages":    approved(t, "gone", echoTool),
		"twice":    approved(t, "echo", strings.Replace(echoTool, "again", "otherwise", 1)), // the first definition counts
		"capitals": approved(t, "other-tool", otherTool),
	} {
		t.Run(how, func(t *testing.T) {
			p := providerOf(t, how)
			out, err := p.Run(t.Context(), in)
			var refused *gateway.Error
			if !errors.As(err, &refused) || refused.Code != gateway.CodeChanged || out.Object != nil || !json.Valid(refused.Details) {
				t.Errorf("%s, %v", out.Object, err)
			}
		})
	}
	t.Run("no pin", func(t *testing.T) {
		p := providerOf(t, "plain")
		in := approved(t, "echo", echoTool)
		in.Tool.Definition.Tool.Source = nil
		if _, err := p.Run(t.Context(), in); !errors.Is(err, gateway.CodeChanged) {
			t.Errorf("%v", err)
		}
	})
}

// TestRefusesWhatClientsExclude checks that a tool with an invalid header is not called, even if it was approved
// (C12).
func TestRefusesWhatClientsExclude(t *testing.T) {
	p := providerOf(t, "headers")
	out, err := p.Run(t.Context(), approved(t, "echo", headerTool))
	if !errors.Is(err, gateway.CodeChanged) || !strings.Contains(err.Error(), "is not a header name") || out.Object != nil {
		t.Errorf("%s, %v", out.Object, err)
	}
}

// TestInputRequired checks that a request for input, which toolcrib does not support, is reported as such (C29).
func TestInputRequired(t *testing.T) {
	p := providerOf(t, "asks")
	_, err := p.Run(t.Context(), approved(t, "echo", echoTool))
	if !errors.Is(err, gateway.CodeProvider) || !strings.Contains(err.Error(), "input_required") {
		t.Error(err)
	}
}

// TestRugPull has a server that lists the approved tool at first and another one later.
func TestRugPull(t *testing.T) {
	p := providerOf(t, "swaps")
	in := approved(t, "echo", echoTool)
	if _, err := p.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), in); !errors.Is(err, gateway.CodeChanged) {
		t.Errorf("%v", err)
	}
	if err := p.Check(t.Context(), in.Tool); !errors.Is(err, gateway.CodeChanged) {
		t.Errorf("before an approval is asked for: %v", err)
	}
}

func TestProviderErrors(t *testing.T) {
	t.Parallel()
	in := approved(t, "echo", echoTool)
	for how, want := range map[string]gateway.Code{"crash": gateway.CodeProvider, "call-flood": gateway.CodeProvider, "asks": gateway.CodeProvider} {
		p := providerOf(t, how)
		if _, err := p.Run(t.Context(), in); !errors.Is(err, want) {
			t.Errorf("%s: %v", how, err)
		}
	}
	p := providerOf(t, "plain")
	other := approved(t, "echo", echoTool)
	other.Tool.Definition.Tool.Provider.Server = "stranger"
	if _, err := p.Run(t.Context(), other); !errors.Is(err, gateway.CodeNotConnected) {
		t.Errorf("%v", err)
	}
	slow := upstream.NewProvider(func(string) (upstream.Server, bool) {
		s := program("mute-call")
		s.Timeout = 200 * time.Millisecond
		return s, true
	})
	defer slow.Close()
	if _, err := slow.Run(t.Context(), in); !errors.Is(err, gateway.CodeTimeout) {
		t.Errorf("%v", err)
	}
}

// TestReconnects calls a server that exits after every list.
func TestReconnects(t *testing.T) {
	p := providerOf(t, "restarts")
	in := approved(t, "echo", echoTool)
	for i := range 3 {
		if _, err := p.Run(t.Context(), in); err != nil {
			t.Fatalf("call %d: %v", i+1, err)
		}
	}
}

// BenchmarkRun measures a call of a program's tool: the list, the comparison with the pin, and the call.
func BenchmarkRun(b *testing.B) {
	p := providerOf(b, "plain")
	in := approved(b, "echo", echoTool)
	for b.Loop() {
		if _, err := p.Run(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}
