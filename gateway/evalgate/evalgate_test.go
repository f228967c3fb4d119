package evalgate_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/evalgate"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// gateVariable makes the test binary act as a gate.
const gateVariable = "TOOLCRIB_EVALGATE_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(gateVariable) {
	case "":
		os.Exit(m.Run())
	case "judge": // refuses destructive calls; the reason repeats the request
		var q struct {
			Tool, Agent, User string
			Version           int
			Args              json.RawMessage
			Annotations       struct{ Destructive bool }
		}
		if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&q); err != nil {
			os.Exit(1)
		}
		fmt.Printf(`{"approved":%t,"reason":%q}`, !q.Annotations.Destructive, fmt.Sprintf("%s %d %s %s %s", q.Tool, q.Version, q.Agent, q.User, q.Args))
	case "fail":
		fmt.Print(`{"approved":true}`)
		os.Exit(3)
	case "mumble":
		fmt.Print(`{"approved":"yes"}`)
	case "flood":
		for range 100 {
			fmt.Print(strings.Repeat(" ", 10_000))
		}
		fmt.Print(`{"approved":true}`)
	case "leave": // refuses, and leaves a process that keeps its output open
		fmt.Print(`{"approved":false}`)
		child := exec.Command(os.Args[0]) //nolint:noctx // outlives its parent
		child.Env = append(os.Environ(), gateVariable+"=stay")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
	case "stay":
		time.Sleep(time.Minute)
	case "hang":
		_, _ = io.Copy(io.Discard, os.Stdin)
		select {}
	}
	os.Exit(0)
}

func invocation(destructive bool) gateway.Invocation {
	return gateway.Invocation{
		Call: "0199", Args: json.RawMessage(`{"city":"Kiel"}`),
		Caller: gateway.Caller{Actor: proposals.Actor{Kind: proposals.Agent, Name: "scout"}, Agent: "scout", User: "ada"},
		Tool: registry.Live{
			Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "get_weather"}, Version: 3,
			Definition: registry.Definition{Tool: &registry.Tool{ID: "get_weather", Annotations: &registry.Annotations{Destructive: &destructive}}},
		},
	}
}

// command returns a gate that is this test binary in a role.
func command(t *testing.T, role string) evalgate.Command {
	t.Helper()
	t.Setenv(gateVariable, role)
	return evalgate.Command{Args: []string{os.Args[0]}}
}

func TestCommand(t *testing.T) {
	gate := command(t, "judge")
	for _, destructive := range []bool{false, true} {
		a, err := gate.Ask(t.Context(), invocation(destructive))
		if err != nil || a.Approved == destructive || a.Reason != `get_weather 3 scout ada {"city":"Kiel"}` {
			t.Errorf("got %+v, %v", a, err)
		}
	}
	for _, role := range []string{"fail", "mumble", "flood"} {
		if a, err := command(t, role).Ask(t.Context(), invocation(false)); err == nil || a.Approved {
			t.Errorf("%s: got %+v, %v", role, a, err)
		}
	}
	if _, err := (evalgate.Command{Args: []string{"/no/such/gate"}}).Ask(t.Context(), invocation(false)); err == nil {
		t.Error("a missing program answered")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := command(t, "hang").Ask(ctx, invocation(false)); err == nil {
		t.Error("a program that hangs answered")
	}
}

// TestAnswerCountsWhenAChildHoldsThePipe checks that the refusal of a gate that exits counts although a child process
// keeps its output open.
func TestAnswerCountsWhenAChildHoldsThePipe(t *testing.T) {
	shortrun.NeedsLong(t)
	a, err := command(t, "leave").Ask(t.Context(), invocation(false))
	if err != nil || a.Approved {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestHTTP(t *testing.T) {
	var body, authorization string
	status, reply := 200, `{"approved":true,"reason":"fine"}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, authorization = string(b), r.Header.Get("Authorization")
		if status == http.StatusFound {
			http.Redirect(w, r, "http://elsewhere.invalid/", status)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, reply)
	}))
	defer s.Close()
	gate := evalgate.NewHTTP(s.URL, "secret")
	a, err := gate.Ask(t.Context(), invocation(true))
	if err != nil || !a.Approved || a.Reason != "fine" || authorization != "Bearer secret" || !strings.Contains(body, `"annotations":{"destructive":true}`) {
		t.Errorf("got %+v, %v; it was asked %s", a, err, body)
	}
	reply = `{"approved":false}`
	if a, err := gate.Ask(t.Context(), invocation(true)); err != nil || a.Approved {
		t.Errorf("got %+v, %v", a, err)
	}
	for _, bad := range []struct {
		status int
		reply  string
	}{{500, `{"approved":true}`}, {http.StatusFound, ""}, {200, `{}`}, {200, `{"approved":false,"approved":true}`}, {200, `{"Approved":true}`}, {200, "{\"approved\":true,\"reason\":\"\xff\"}"}, {200, `approved`}, {200, strings.Repeat(" ", 100_000) + `{"approved":true}`}} {
		status, reply = bad.status, bad.reply
		if a, err := gate.Ask(t.Context(), invocation(false)); err == nil || a.Approved {
			t.Errorf("status %d: got %+v, %v", bad.status, a, err)
		}
	}
}

// TestQuestion compares a complete request: verified facts about the tool and the
// call, and separately the caller's description (C9).
func TestQuestion(t *testing.T) {
	var asked map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"approved":true}`)
	}))
	defer s.Close()
	in := invocation(true)
	tool := in.Tool.Definition.Tool
	tool.Cost, tool.Tier, tool.Category, tool.Limits = registry.CostExpensive, registry.TierHigh, "web", &registry.Limits{CooldownSeconds: 5, DailyLimit: 7}
	in.Tier, in.Nth = registry.AutoApprove, 3
	in.CallContext = gateway.CallContext{
		UserMessage: "Rain?", ChatID: "c1", MissionID: "m1", ConversationID: "v1", Confidence: json.RawMessage("0.5"), Context: json.RawMessage(`{"a":1}`),
	}
	if _, err := evalgate.NewHTTP(s.URL, "").Ask(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"cost": "expensive", "tier": "high", "category": "web", "approval": "auto_approve", "nth_of_day": 3.0,
		"limits": map[string]any{"cooldown_seconds": 5.0, "daily_limit": 7.0},
		"said": map[string]any{
			"user_message": "Rain?", "chat_id": "c1", "mission_id": "m1", "conversation_id": "v1", "confidence": 0.5, "context": map[string]any{"a": 1.0},
		},
	} {
		if !reflect.DeepEqual(asked[key], want) {
			t.Errorf("%s is %v; want %v", key, asked[key], want)
		}
	}
}

// TestErrorsHideTheAddress checks that errors of gates contain the reason and not the address.
func TestErrorsHideTheAddress(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, gate := range []gateway.Gate{
		evalgate.NewHTTP(gone.URL, ""), evalgate.NewHTTP("http://no.such.host.invalid/", ""), evalgate.Command{Args: []string{"/no/such/gate"}}, command(t, "fail"),
	} {
		_, err := gate.Ask(t.Context(), invocation(false))
		if err == nil || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), ".invalid") || strings.Contains(err.Error(), "/") {
			t.Errorf("%v: %v", gate, err)
		}
	}
}
