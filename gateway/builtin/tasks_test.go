package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/gateway"
)

func TestTasks(t *testing.T) {
	c := newTestDB(t)
	made := c.ada(t, "create_tasks", `{"tasks":[
		{"title":" Book the ferry ","due":"2027-02-01T09:00:00+01:00","priority":"high","project":"Sweden","tags":["travel","Travel"]},
		{"title":"Water the plants"},
		{"title":"Call Anna","due":"2026-12-24T10:00:00Z","notes":"about the <cat>","project":"sweden"}]}`)
	expect(t, "titles in order", made.column("tasks", "title"), "Book the ferry|Water the plants|Call Anna")
	expect(t, "due in UTC", made.text("tasks.0.due"), "2027-02-01T08:00:00Z")
	expect(t, "projects", made.column("tasks", "project"), "Sweden||Sweden")
	expect(t, "one tag", len(made.at("tasks.0.tags").([]any)), 1)
	expect(t, "priority", made.text("tasks.1.priority"), "normal")

	list := c.ada(t, "get_tasks", `{}`)
	expect(t, "soonest first, undated last", list.column("tasks", "title"), "Call Anna|Book the ferry|Water the plants")
	expect(t, "more", list.at("more"), any(false))
	expect(t, "cut", c.ada(t, "get_tasks", `{"limit":2}`).at("more"), any(true))
	expect(t, "of a project, in any case", c.ada(t, "get_tasks", `{"project":"SWEDEN"}`).column("tasks", "title"), "Call Anna|Book the ferry")
	expect(t, "of an unknown project", c.ada(t, "get_tasks", `{"project":"Norway"}`).column("tasks", "title"), "")
	expect(t, "from a time", c.ada(t, "get_tasks", `{"due_after":"2027-01-01T00:00:00Z"}`).column("tasks", "title"), "Book the ferry")
	expect(t, "before a time", c.ada(t, "get_tasks", `{"due_before":"2027-02-01T09:00:00+01:00"}`).column("tasks", "title"), "Call Anna")
	expect(t, "at a time", c.ada(t, "get_tasks", `{"due_after":"2027-02-01T09:00:00+01:00","status":"any","project":"Sweden"}`).column("tasks", "title"), "Book the ferry")

	ferry, plants := made.text("tasks.0.id"), made.text("tasks.1.id")
	changed := c.ada(t, "update_tasks", fmt.Sprintf(`{"tasks":[{"id":%q,"status":"done","due":null,"project":null,"tags":[],"notes":"paid"},{"id":"nobody"},{"id":%q}]}`, ferry, plants))
	expect(t, "missing", changed.at("missing.0"), any("nobody"))
	expect(t, "status", changed.text("tasks.0.status"), "done")
	expect(t, "cleared", changed.text("tasks.0.due")+changed.text("tasks.0.project"), "")
	expect(t, "kept", changed.text("tasks.0.title"), "Book the ferry")
	expect(t, "untouched", changed.text("tasks.1.updated_at"), made.text("tasks.1.updated_at"))
	if changed.text("tasks.0.updated_at") <= made.text("tasks.0.updated_at") {
		t.Error("the change has no later time")
	}
	expect(t, "done ones", c.ada(t, "get_tasks", `{"status":"done"}`).column("tasks", "id"), ferry)
	expect(t, "one of any status", c.ada(t, "get_tasks", fmt.Sprintf(`{"id":%q,"status":"open"}`, ferry)).column("tasks", "id"), ferry)

	gone := c.ada(t, "delete_tasks", fmt.Sprintf(`{"ids":[%q,"nobody"]}`, plants))
	expect(t, "deleted", gone.at("deleted.0"), any(plants))
	expect(t, "missing", gone.at("missing.0"), any("nobody"))
	expect(t, "again", c.ada(t, "delete_tasks", fmt.Sprintf(`{"ids":[%q]}`, plants)).at("missing.0"), any(plants))
	expect(t, "read", c.ada(t, "get_tasks", fmt.Sprintf(`{"id":%q}`, plants)).column("tasks", "id"), "")
	expect(t, "listed", c.ada(t, "get_tasks", `{"status":"any"}`).column("tasks", "title"), "Call Anna|Book the ferry")
	expect(t, "changed", c.ada(t, "update_tasks", fmt.Sprintf(`{"tasks":[{"id":%q,"title":"x"}]}`, plants)).at("missing.0"), any(plants))
}

func TestTasksOfOthers(t *testing.T) {
	c := newTestDB(t)
	id := c.ada(t, "create_tasks", `{"tasks":[{"title":"Mine","project":"P"}]}`).text("tasks.0.id")
	for tool, args := range map[string]string{
		"get_tasks": fmt.Sprintf(`{"id":%q}`, id), "update_tasks": fmt.Sprintf(`{"tasks":[{"id":%q,"title":"Yours"}]}`, id), "delete_tasks": fmt.Sprintf(`{"ids":[%q]}`, id),
	} {
		out, err := c.as(t, "bob", tool, args)
		if err != nil || len(out.column("tasks", "id"))+len(out.column("deleted", "")) > 0 {
			t.Errorf("%s: %v, %v", tool, out, err)
		}
	}
	if out, err := c.as(t, "bob", "get_tasks", `{"status":"any","project":"P"}`); err != nil || out.column("tasks", "id") != "" {
		t.Errorf("bob sees %v, %v", out, err)
	}
	in := c.invocation("ada", "get_tasks", `{}`)
	in.Caller.Customer = "another"
	if out, err := c.provider.Run(t.Context(), in); err != nil || strings.Contains(string(out.Object), id) {
		t.Errorf("another customer's ada: %s, %v", out.Object, err)
	}
	expect(t, "mine", c.ada(t, "get_tasks", `{}`).column("tasks", "title"), "Mine")
}

func TestTasksRefused(t *testing.T) {
	c := newTestDB(t)
	long := strings.Repeat("ä", 201)
	c.refuses(t, "ada", "create_tasks", `{"tasks":[{"title":"good"},{"title":"  ","due":"tomorrow"},{"title":"`+long+`","priority":"urgent","tags":[""],"when":1}]}`,
		gateway.CodeArguments, "tasks[1].title", "tasks[1].due", "tasks[2].title: expected at most 200 characters, got 201", "tasks[2].priority", "tasks[2].tags[0]", "tasks[2].when", "Nothing was done")
	expect(t, "nothing was stored", c.ada(t, "get_tasks", `{"status":"any"}`).column("tasks", "title"), "")
	for args, says := range map[string]string{
		`{}`: "tasks", `{"tasks":[]}`: "at least one", `{"tasks":"x"}`: "tasks", `[]`: "object", `{"tasks":[{"title":"x","due":"0001-01-01T00:00:00+23:59"}]}`: "year",
		`{"tasks":[` + strings.Repeat(`{"title":"x"},`, 50) + `{"title":"x"}]}`: "at most 50", `{"tasks":[{"title":"x","project":" "}]}`: "tasks[0].project",
	} {
		c.refuses(t, "ada", "create_tasks", args, gateway.CodeArguments, says)
	}
	id := c.ada(t, "create_tasks", `{"tasks":[{"title":"One"}]}`).text("tasks.0.id")
	c.refuses(t, "ada", "update_tasks", fmt.Sprintf(`{"tasks":[{"id":%q,"status":"done"},{"id":%q,"title":"Two"}]}`, id, id), gateway.CodeArguments, "tasks[1].id")
	c.refuses(t, "ada", "update_tasks", fmt.Sprintf(`{"tasks":[{"id":%q,"status":"done"},{"id":"x","project":""}]}`, id), gateway.CodeArguments, "tasks[1].project")
	c.refuses(t, "ada", "delete_tasks", fmt.Sprintf(`{"ids":[%q,%q,""]}`, id, id), gateway.CodeArguments, "ids[1]", "ids[2]")
	c.refuses(t, "ada", "get_tasks", `{"limit":0,"status":"late","due_after":5}`, gateway.CodeArguments, "limit", "status", "due_after")
	expect(t, "all is as it was", c.ada(t, "get_tasks", `{}`).column("tasks", "title"), "One")
	if _, err := c.provider.Run(t.Context(), c.invocation("", "get_tasks", `{}`)); err == nil {
		t.Error("a call for nobody ran")
	}
}
