package hub_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/hub"
)

// TestLimits has hubs that take too long, respond with too much, or redirect.
func TestLimits(t *testing.T) {
	release := make(chan struct{})
	slow := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	defer close(release)
	loud := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"success":true,"result":{"a":"`+strings.Repeat("x", 2_000)+`"}}`)
	})
	asked := false
	elsewhere := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked = true
		_, _ = io.WriteString(w, `{"success":true,"result":{}}`)
	})
	away := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	seen := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/next", http.StatusSeeOther) })
	gone := serve(t, func(http.ResponseWriter, *http.Request) {})
	gone.Close()
	h, hurried := hub.New(hub.Config{MaxBytes: 1_000}), hub.New(hub.Config{Timeout: 50 * time.Millisecond})
	defer h.Close()
	defer hurried.Close()
	if _, err := hurried.Run(t.Context(), invocation(slow.URL)); code(err) != gateway.CodeTimeout {
		t.Errorf("a hub that does not answer: %v", err)
	}
	for address, want := range map[string]gateway.Code{
		loud.URL: gateway.CodeProvider, away.URL: gateway.CodeProvider, seen.URL: gateway.CodeProvider,
		gone.URL: gateway.CodeUnavailable, "http://no.such.host.invalid/": gateway.CodeUnavailable, "": gateway.CodeNotConnected,
	} {
		_, err := h.Run(t.Context(), invocation(address))
		if code(err) != want {
			t.Errorf("%s: got %v; want %s", address, err, want)
		}
		if strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), ".invalid") {
			t.Errorf("the error contains the address of the hub (C14): %v", err)
		}
		var e *gateway.Error
		if errors.As(err, &e) && e.NotRun != (address == gone.URL || address == "" || strings.Contains(address, ".invalid")) {
			t.Errorf("%s: NotRun is %v", address, e.NotRun)
		}
	}
	if asked {
		t.Error("the call was sent to another address than the approved one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Run(ctx, invocation(slow.URL)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestRedirectOnTheSameHost follows a redirect with the same call.
func TestRedirectOnTheSameHost(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2" {
			http.Redirect(w, r, "/v2", http.StatusPermanentRedirect)
			return
		}
		b, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"success":true,"result":`+string(b)+`}`)
	})
	h := hub.New(hub.Config{})
	defer h.Close()
	out, err := h.Run(t.Context(), invocation(s.URL+"/v1"))
	if err != nil || !strings.Contains(string(out.Object), `"inputs":{"city":"Kiel"}`) {
		t.Errorf("got %s, %v", out.Object, err)
	}
}
