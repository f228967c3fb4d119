package builtin_test

import (
	"context"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/internal/shortrun"
)

func TestProject(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.refuses(t, "ada", "set_project", `{"project":"Sweden"}`, builtin.CodeNotFound, "create")
	made := c.ada(t, "set_project", `{"project":" Summer  in Sweden ","create":true}`)
	expect(t, "set", made.text("project"), "Summer in Sweden")
	expect(t, "created", made.at("created"), any(true))
	again := c.ada(t, "set_project", `{"project":"summer in SWEDEN","create":true}`)
	expect(t, "the same", again.text("project"), "Summer in Sweden")
	expect(t, "not new", again.at("created"), any(false))
	c.refuses(t, "ada", "set_project", `{"project":"Sommer in Sweden"}`, builtin.CodeNotFound, `"Summer in Sweden"`)
	c.refuses(t, "ada", "set_project", `{"project":"sweden"}`, builtin.CodeNotFound, `"Summer in Sweden"`)
	expect(t, "tasks belong to it", c.ada(t, "create_tasks", `{"tasks":[{"title":"Pack"},{"title":"Cook","project":"Home"}]}`).column("tasks", "project"), "Summer in Sweden|Home")
	expect(t, "memories too", c.ada(t, "create_memories", `{"content":"It rains."}`).text("memory.project"), "Summer in Sweden")
	expect(t, "null leaves it", c.ada(t, "set_project", `{"project":null}`).at("project"), any(nil))
	expect(t, "none", c.ada(t, "create_tasks", `{"tasks":[{"title":"Wash"}]}`).column("tasks", "project"), "")
	if _, err := c.as(t, "bob", "set_project", `{"project":"Home"}`); err == nil || strings.Contains(err.Error(), "Perhaps") {
		t.Errorf("bob: %v", err)
	}
	c.refuses(t, "ada", "set_project", `{"project":""}`, gateway.CodeArguments, "project")
	c.refuses(t, "ada", "set_project", `{}`, gateway.CodeArguments, "project")
}

// TestNotesSkipLargeMemories checks that a memory that does not fit into the prompt does not keep shorter ones out.
func TestNotesSkipLargeMemories(t *testing.T) {
	c := newTestDB(t)
	long := strings.Repeat("x", 1999)
	for _, m := range []string{`a` + long + `","importance":5`, `b` + long + `","importance":4`, `The key is under the mat.","importance":3`} {
		c.ada(t, "create_memories", `{"content":"`+m+`}`)
	}
	known, err := c.provider.Known(t.Context(), builtin.Owner{User: "ada"}, c.now)
	if want := "- a" + long + "\n- The key is under the mat."; err != nil || known.Notes != want {
		t.Errorf("%v; %d bytes: %.10q…%.40q", err, len(known.Notes), known.Notes, known.Notes[max(0, len(known.Notes)-40):])
	}
}

func TestContext(t *testing.T) {
	c := newTestDB(t)
	empty := c.ada(t, "get_context", `{}`)
	expect(t, "zone", empty.text("timezone"), "UTC")
	for _, part := range []string{"time", "project", "tasks", "reminders", "schedules", "memories", "instructions"} {
		if _, there := empty[part]; !there {
			t.Errorf("%s is missing from %v", part, empty)
		}
	}
	c.provider = builtin.New(c, builtin.Options{NewID: c.NewID, Zone: func(context.Context, gateway.Caller) (string, error) { return "Asia/Tokyo", nil }})
	c.ada(t, "set_project", `{"project":"Home","create":true}`)
	c.ada(t, "create_tasks", `{"tasks":[{"title":"a","due":"2026-12-31T00:00:00Z"},{"title":"b","due":"2027-01-01T12:00:00Z"},{"title":"c","due":"2027-01-01T20:00:00Z"},{"title":"d"},{"title":"e"},{"title":"f"}]}`)
	c.ada(t, "create_reminders", `{"reminders":[{"text":"r","remind_at":"2027-01-01T13:00:00Z"}]}`)
	c.ada(t, "create_schedules", `{"schedules":[{"title":"s","instruction":"i","cron":"0 8 * * *"}]}`)
	c.ada(t, "create_memories", `{"content":"m"}`)
	expect(t, "characters", c.ada(t, "update_instructions", `{"instructions":"Be brief. Ä\n"}`).at("characters"), any(11.0))
	got := c.ada(t, "get_context", `{}`)
	expect(t, "zone", got.text("timezone"), "Asia/Tokyo")
	if !strings.HasPrefix(got.text("time"), "2027-01-01T21:00:") || !strings.HasSuffix(got.text("time"), "+09:00") {
		t.Errorf("time is %s", got.text("time"))
	}
	expect(t, "project", got.text("project"), "Home")
	expect(t, "open", got.at("tasks.open"), any(6.0))
	expect(t, "overdue", got.at("tasks.overdue"), any(2.0))
	next := doc(got["tasks"].(map[string]any))
	expect(t, "next five", next.column("next", "title"), "a|b|c|d|e")
	expect(t, "reminders", got.column("reminders", "text"), "r")
	expect(t, "schedules", got.text("schedules.0.next_run_at"), "2027-01-01T23:00:00Z")
	expect(t, "memories", got.column("memories", "content"), "m")
	expect(t, "instructions", got.text("instructions"), "Be brief. Ä")
	expect(t, "only what was asked for", len(c.ada(t, "get_context", `{"include":["tasks","instructions"]}`)), 2)
	c.ada(t, "delete_tasks", `{"ids":["`+next.text("next.0.id")+`"]}`)
	c.ada(t, "update_tasks", `{"tasks":[{"id":"`+next.text("next.1.id")+`","status":"done"}]}`)
	after := c.ada(t, "get_context", `{"include":["tasks"]}`)
	expect(t, "open", after.at("tasks.open"), any(4.0))
	expect(t, "overdue", after.at("tasks.overdue"), any(0.0))
	c.now = c.now.AddDate(0, 0, 1)
	c.ada(t, "create_reminders", `{"reminders":[{"text":"later","remind_at":"2027-02-01T13:00:00Z"}]}`)
	overdue := c.ada(t, "get_context", `{"include":["reminders"]}`)
	expect(t, "what was not delivered is told first", overdue.column("reminders", "text"), "r|later")
	if out, err := c.as(t, "bob", "get_context", `{}`); err != nil || out.at("tasks.open") != 0.0 || out.text("instructions") != "" || out["project"] != nil {
		t.Errorf("bob: %v, %v", out, err)
	}
	c.refuses(t, "ada", "get_context", `{"include":["weather"]}`, gateway.CodeArguments, "include[0]")
	c.refuses(t, "ada", "update_instructions", `{"instructions":"`+strings.Repeat("x", 2001)+`"}`, gateway.CodeArguments, "2001")
	c.refuses(t, "ada", "update_instructions", `{}`, gateway.CodeArguments, "instructions")
	expect(t, "removed", c.ada(t, "update_instructions", `{"instructions":""}`).at("characters"), any(0.0))
	expect(t, "none", c.ada(t, "get_context", `{"include":["instructions"]}`).text("instructions"), "")
}

func TestMailIsNotConnected(t *testing.T) {
	c := newTestDB(t)
	c.refuses(t, "ada", "search_gmail", `{"query":"from:anna"}`, gateway.CodeNotConnected, "No mailbox")
	c.refuses(t, "ada", "get_gmail", `{"id":"1"}`, gateway.CodeNotConnected, "No mailbox")
}

// TestEveryToolRuns compares the catalog with the built-in tools.
func TestEveryToolRuns(t *testing.T) {
	c := newTestDB(t)
	expect(t, "tools", len(c.tools), 23)
	for id := range c.tools {
		if _, err := c.provider.Run(t.Context(), c.invocation("ada", id, `{"no such key":1}`)); err != nil && strings.Contains(err.Error(), "no built-in tool") {
			t.Errorf("%s: %v", id, err)
		}
	}
	in := c.invocation("ada", "get_tasks", `{}`)
	other := *in.Tool.Definition.Tool
	other.ID = "send_rockets"
	in.Tool.Definition.Tool = &other
	if _, err := c.provider.Run(t.Context(), in); err == nil {
		t.Error("a tool that is not built in ran")
	}
}
