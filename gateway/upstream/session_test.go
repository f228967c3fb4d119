package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway/upstream"
	"toolcrib/internal/shortrun"
	"toolcrib/registry/wire"
)

// waitLimit is the timeout of servers in tests that do not check timeouts.
const waitLimit = 3 * time.Minute

// program returns the test binary as a server with a behavior. Its timeout is only reached in tests of timeouts.
func program(how string) upstream.Server {
	return upstream.Server{Name: "upstream", Command: []string{os.Args[0]}, Env: []string{behaves + "=" + how}, Timeout: waitLimit}
}

func TestListKeepsEveryByte(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, how := range []string{"plain", "pages", "greets", "capitals"} {
		t.Run(how, func(t *testing.T) {
			text, err := upstream.List(t.Context(), program(how))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := wire.Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			var raws []string
			for _, it := range doc.Items {
				raws = append(raws, string(it.Raw))
			}
			want := echoTool + "\n" + otherTool
			if how == "capitals" {
				want = echoTool
			}
			if got := strings.Join(raws, "\n"); got != want {
				t.Errorf("listed\n%s\nwant\n%s", got, want)
			}
			if doc.Server != "the-server" || string(doc.Capabilities) != upstream.Declared {
				t.Errorf("server %q, capabilities %s", doc.Server, doc.Capabilities)
			}
		})
	}
}

// TestListLikeClient checks that init declares the capabilities of Claude Code and Codex, and records them, because
// some servers list certain tools only to clients that can answer their questions.
func TestListLikeClient(t *testing.T) {
	s := program("repeats-capabilities")
	s.LikeClient = true
	text, err := upstream.List(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := wire.Decode(text)
	if err != nil || len(doc.Items) != 1 {
		t.Fatalf("%v, %s", err, text)
	}
	var tool struct{ Description string }
	if err := json.Unmarshal(doc.Items[0].Raw, &tool); err != nil {
		t.Fatal(err)
	}
	const want = `{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{}}`
	var declared map[string]any
	if err := json.Unmarshal([]byte(tool.Description), &declared); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(declared)
	if err != nil || string(got) != want || string(doc.Capabilities) != want {
		t.Errorf("declared %s, recorded %s", got, doc.Capabilities)
	}
}

func TestCallIsHandedThrough(t *testing.T) {
	s, err := upstream.Connect(t.Context(), program("plain"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	raw, _, err := s.Call(t.Context(), "echo", nil, json.RawMessage(`{"n":123456789012345678901234567890}`))
	want := `{"content":[{"type":"text","text":"done"}],"structuredContent":{"args":{"n":123456789012345678901234567890},"big":12345678901234567890},"x-unknown":true}`
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestHostileLists has servers that provide no usable list. Each must be rejected for its own reason, long before the
// timeout.
func TestHostileLists(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]error{
		"crash": upstream.ErrClosed, "garbage": nil, "broken": nil, "endless": upstream.ErrTooLarge, "deep": nil,
		"thousands": upstream.ErrTooLarge, "none": upstream.ErrProtocol, "list-flood": nil,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, err := upstream.List(t.Context(), program(how))
			if err == nil || want != nil && !errors.Is(err, want) || errors.Is(err, upstream.ErrTimeout) {
				t.Errorf("%v, want %v", err, want)
			}
			if how == "crash" && !strings.Contains(upstream.Stderr(err), "no such database") {
				t.Errorf("what it printed is lost: %q", upstream.Stderr(err))
			}
		})
	}
}

// TestOddLists checks that unreadable parts of a list are skipped and reported: entries that are not strict JSON, and
// the rest of a list after a repeated page (G24).
func TestOddLists(t *testing.T) {
	for how, want := range map[string]string{
		"circle": wire.RepeatedPage.String(), "double-key": `"evil" cannot be read: name (line 1, column 16): duplicate key`,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			data, err := upstream.List(t.Context(), program(how))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := wire.Decode(data)
			if err != nil || len(doc.Items) > 0 || len(doc.Skipped) != 1 || !strings.HasPrefix(doc.Skipped[0].String(), want) {
				t.Errorf("%+v, %v", doc.Skipped, err)
			}
		})
	}
}

// TestOddPrompts checks that prompts are read despite unreadable entries.
func TestOddPrompts(t *testing.T) {
	s := program("odd-prompt")
	s.Texts = true
	data, err := upstream.List(t.Context(), s)
	if err != nil || !strings.Contains(string(data), "Be good.") {
		t.Errorf("%s, %v", data, err)
	}
}

// TestOddServers has servers that use a revision that the SDK does not know, have no tools, or respond in another
// form than requested, which their clients accept (G32).
func TestOddServers(t *testing.T) {
	for how, want := range map[string]string{
		"old": "2024-10-07 echo other-tool", "future": "2099-01-01 echo other-tool", "prompts-only": "2025-11-25", "other-form": "2025-11-25 echo", "agrees": "2025-11-25 echo other-tool",
		"strict": "2025-11-25 echo other-tool",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			data, err := upstream.List(t.Context(), program(how))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := wire.Decode(data)
			got := doc.Node.Get("protocolVersion").Text
			for _, it := range doc.Items {
				got += " " + it.Name
			}
			if err != nil || got != want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// TestWhatIsNoMessageIsNamed checks that errors quote output that is not a message.
func TestWhatIsNoMessageIsNamed(t *testing.T) {
	t.Parallel()
	s := program("pretty")
	s.Timeout = 5 * time.Second // long enough for a busy machine to start the program
	_, err := upstream.List(t.Context(), s)
	if !errors.Is(err, upstream.ErrTimeout) || !strings.Contains(err.Error(), `lines that are not messages, such as "}"`) {
		t.Error(err)
	}
}

func TestSilentServersAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	// The last one sends requests endlessly and reads no responses.
	for _, how := range []string{"deaf", "mute", "mute-list", "asks-on"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := program(how)
			s.Timeout = 200 * time.Millisecond
			if how == "asks-on" {
				shortrun.NeedsLong(t)
				s.Timeout = 5 * time.Second // long enough for the server to receive the request
			}
			if _, err := upstream.List(t.Context(), s); !errors.Is(err, upstream.ErrTimeout) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestAnOldServerIsAskedAgain has a server that never answers unknown requests.
func TestAnOldServerIsAskedAgain(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	s := program("mute-discover")
	if _, err := upstream.List(t.Context(), s); err != nil {
		t.Error(err)
	}
}

func TestFloodOfAnAnswer(t *testing.T) {
	t.Parallel()
	shortrun.OneGoroutine(t)
	s, err := upstream.Connect(t.Context(), program("call-flood"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Call(t.Context(), "echo", nil, json.RawMessage("{}")); err == nil || errors.Is(err, upstream.ErrTimeout) {
		t.Errorf("%v", err)
	}
	<-s.Ended()
}

func TestMissingServerProgram(t *testing.T) {
	_, err := upstream.List(t.Context(), upstream.Server{Name: "gone", Command: []string{"/nowhere/at/all"}})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "gone") {
		t.Errorf("%v", err)
	}
}

func TestInterruptedList(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := upstream.List(ctx, program("deaf")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestChangesAreTold(t *testing.T) {
	told := make(chan struct{}, 1)
	s, err := upstream.Connect(t.Context(), program("tells"), func() { told <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-told
}
