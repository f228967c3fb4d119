package store

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// assistantCalls call every tool of the assistant with all arguments that lead to different statements. ID stands for the id
// that was created last.
var assistantCalls = [][2]string{ //nolint:gochecknoglobals // a table
	{"set_project", `{"project":"P","create":true}`},
	{"create_tasks", `{"tasks":[{"title":"x"}]}`},
	{"update_tasks", `{"tasks":[{"id":"ID","title":"y"}]}`},
	{"get_tasks", `{"id":"ID"}`},
	{"get_tasks", `{"status":"any"}`},
	{"get_tasks", `{}`},
	{"get_tasks", `{"project":"P","status":"any"}`},
	{"get_tasks", `{"project":"P","due_after":"2026-01-01T00:00:00Z"}`},
	{"get_tasks", `{"due_before":"2026-01-01T00:00:00Z"}`},
	{"create_reminders", `{"reminders":[{"text":"x","remind_at":"2030-01-01T00:00:00Z","task_id":"ID"}]}`},
	{"get_reminders", `{"status":"any","from":"2026-01-01T00:00:00Z"}`},
	{"get_reminders", `{"until":"2036-01-01T00:00:00Z"}`},
	{"get_reminders", `{"id":"ID"}`},
	{"delete_reminders", `{"ids":["ID"]}`},
	{"get_tasks", `{}`},
	{"delete_tasks", `{"ids":["ID"]}`},
	{"create_schedules", `{"schedules":[{"title":"x","instruction":"y","cron":"0 9 * * *"}]}`},
	{"get_schedules", `{}`},
	{"delete_schedules", `{"ids":["ID"]}`},
	{"create_memories", `{"content":"one","tags":["t"],"expires_at":"2027-01-01T00:00:00Z"}`},
	{"create_memories", `{"content":"two","tags":["t"]}`},
	{"link_memories", `{"id":"ID","to_entity":"Anna"}`},
	{"link_memories", `{"id":"ID","to_entity":"Änna","entity_type":"person"}`},
	{"update_memories", `{"id":"ID","content":"three"}`},
	{"get_memories", `{"id":"ID"}`},
	{"get_memories", `{"since":"2026-01-01T00:00:00Z"}`},
	{"get_memories", `{"kind":"fact"}`},
	{"get_memories", `{"project":"P"}`},
	{"get_memories", `{"project":"P","kind":"fact","since":"2026-01-01T00:00:00Z"}`},
	{"get_memories", `{"tag":"t","since":"2026-01-01T00:00:00Z"}`},
	{"search_memories", `{"query":"three anna","kind":"fact","project":"P"}`},
	{"get_entities", `{}`},
	{"get_entities", `{"type":"person"}`},
	{"get_entities", `{"project":"P"}`},
	{"get_entities", `{"id":"nobody"}`},
	{"search_entities", `{"query":"anna","type":"person"}`},
	{"get_context", `{}`},
	{"update_instructions", `{"instructions":"x"}`},
	{"get_memories", `{}`},
	{"delete_memories", `{"id":"ID"}`},
	{"set_project", `{"project":null}`},
}

// TestAssistantQueriesUseIndexes checks the query plans of all statements of the assistant's tools: none scans a whole
// table or index.
func TestAssistantQueriesUseIndexes(t *testing.T) {
	shortrun.OneGoroutine(t)
	ctx := t.Context()
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	db, err := Open(ctx, filepath.Join(t.TempDir(), "toolcrib.db"), Options{Now: func() time.Time { return now }, NewID: newID})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // nothing is written any more
	statements := map[string]bool{}
	note := func(s *session.Session) error {
		for query := range s.Statements() {
			statements[query] = true
		}
		return nil
	}
	runAssistantCalls(t, db, newID, now)
	_, most := db.pool.Readers()
	for range most {
		if err := db.pool.View(ctx, note); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.pool.Update(ctx, note); err != nil {
		t.Fatal(err)
	}
	looked := 0
	subquery := regexp.MustCompile(`^SCAN (\(|CONSTANT|found$|linked$)`)
	mine := regexp.MustCompile(`\b(owners|projects|conversations|tasks|task_days|reminders|schedules|memories|memories_text|memory_links|entities|entities_text|entity_projects)\b`)
	for query := range statements {
		if !mine.MatchString(query) || strings.HasPrefix(query, "INSERT INTO owners") {
			continue
		}
		looked++
		for _, step := range plan(ctx, t, db, query) {
			through := strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "VIRTUAL TABLE INDEX") && !subquery.MatchString(step)
			if through || strings.Contains(step, "TEMP B-TREE FOR ORDER BY") {
				t.Errorf("%s\n%s", step, query)
			}
		}
	}
	if looked < 60 {
		t.Errorf("only %d statements were looked at", looked)
	}
}

func runAssistantCalls(t *testing.T, db *DB, newID func() string, now time.Time) {
	t.Helper()
	tools := map[string]registry.Definition{}
	for _, d := range shipped.Assistant() {
		tools[d.ID()] = d
	}
	ids := regexp.MustCompile(`"id":"([-0-9a-f]{36})"`)
	p, last := builtin.New(db, builtin.Options{NewID: newID}), ""
	for i, e := range assistantCalls {
		if i == len(assistantCalls)-3 { // by then one memory has expired
			now = now.AddDate(1, 0, 0)
		}
		out, err := p.Run(t.Context(), gateway.Invocation{
			Caller: gateway.Caller{User: "ada", Agent: "assistant"}, Tool: registry.Live{Definition: tools[e[0]]},
			Args: json.RawMessage(strings.ReplaceAll(e[1], "ID", last)), At: now.Add(time.Duration(i) * time.Second),
		})
		if err != nil {
			t.Fatalf("%s %s: %v", e[0], e[1], err)
		}
		if made := ids.FindSubmatch(out.Object); made != nil {
			last = string(made[1])
		}
	}
}

func plan(ctx context.Context, t *testing.T, db *DB, query string) []string {
	t.Helper()
	var steps []string
	err := db.pool.View(ctx, func(s *session.Session) error {
		args := make([]any, strings.Count(query, "?")+strings.Count(query, "$")) // some occur more than once
		var err error
		steps, err = table.All(ctx, s, func(row table.Scanner) (string, error) {
			var id, parent, unused int
			var step string
			err := row.Scan(&id, &parent, &unused, &step)
			return step, err
		}, "EXPLAIN QUERY PLAN "+query, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return steps
}
