package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway/builtin"
	"toolcrib/internal/shortrun"
	"toolcrib/store/storetest"
)

// addAssistantData creates a task and a memory about an entity in a project of ada.
func addAssistantData(db *storetest.Database) error {
	ctx, now := context.Background(), db.Clock.Now()
	return db.WriteAssistant(ctx, builtin.Owner{User: "ada"}, now, func(w builtin.Writer) error {
		m := builtin.Memory{ID: db.NewID(), Content: "x", Kind: "fact", Importance: 3, Project: "P", Created: now, Updated: now}
		e := builtin.Entity{ID: db.NewID(), Name: "Anna", Type: "person"}
		for _, step := range []func() error{
			func() error { return w.AddProject(ctx, "P") },
			func() error { return w.SetProject(ctx, "assistant", "p") },
			func() error {
				return w.AddTask(ctx, builtin.Task{ID: db.NewID(), Title: "x", Status: "open", Priority: "low", Project: "P", Created: now, Updated: now})
			},
			func() error { return w.AddMemory(ctx, m, []string{":x"}) },
			func() error { return w.AddEntity(ctx, e, "anna", []string{":anna"}) },
			func() error {
				_, err := w.AddLink(ctx, builtin.Link{Memory: m.ID, Target: e.ID, ToEntity: true, Relation: "about", At: now})
				return err
			},
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestVerifyNoticesChangedAssistantData changes data without the program and checks that verification reports it.
func TestVerifyNoticesChangedAssistantData(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	image, err := storetest.Image(addAssistantData)
	if err != nil {
		t.Fatal(err)
	}
	if report := verify(t, storetest.FromImage(t, image)); len(report.Damage) > 0 {
		t.Fatalf("damage: %+v", report.Damage)
	}
	for statement, table := range map[string]string{
		"UPDATE task_days SET n = 2":             "task_days",
		"DELETE FROM task_days":                  "task_days",
		"UPDATE entities SET memories = 7":       "entities",
		"UPDATE entity_projects SET n = 3":       "entity_projects",
		"DELETE FROM memories_text":              "memories",
		"UPDATE memories SET deleted_at = 'now'": "memories",
		`INSERT INTO owners (id, customer, "user") VALUES (2, '', 'bob'); UPDATE projects SET owner = 2`:     "projects",
		`INSERT INTO owners (id, customer, "user") VALUES (2, '', 'bob'); UPDATE memory_links SET owner = 2`: "memory_links",
	} {
		t.Run(statement, func(t *testing.T) {
			db := storetest.FromImage(t, image)
			if err := db.SQL(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			found := false
			for _, d := range verify(t, db).Damage {
				found = found || d.Table == table
			}
			if !found {
				t.Errorf("verify says nothing of %s", table)
			}
		})
	}
}

// TestDeletedIsOnlyMarked checks that the triggers prevent the removal of rows, and changes to deleted ones.
func TestDeletedIsOnlyMarked(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	if err := addAssistantData(db); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"tasks", "memories", "memory_links", "entities"} {
		if err := db.SQL(t.Context(), "DELETE FROM "+table); err == nil || !strings.Contains(err.Error(), "only marked") {
			t.Errorf("%s: %v", table, err)
		}
	}
	err := db.SQL(t.Context(), "UPDATE tasks SET deleted_at = 'x'; UPDATE tasks SET deleted_at = ''")
	if err == nil || !strings.Contains(err.Error(), "keeps its identity") {
		t.Errorf("a deleted task came back: %v", err)
	}
}

// TestFailedWritesLeaveNothing checks that the changes of a failed call are rolled back.
func TestFailedWritesLeaveNothing(t *testing.T) {
	db := storetest.New(t)
	before := db.Dump(t)
	err := db.WriteAssistant(t.Context(), builtin.Owner{User: "ada"}, time.Now(), func(w builtin.Writer) error {
		if err := w.AddProject(t.Context(), "P"); err != nil {
			return err
		}
		return w.AddProject(t.Context(), "p") // the same name in another case
	})
	if err == nil {
		t.Fatal("two projects of one name")
	}
	if lines := storetest.Difference(before, db.Dump(t)); len(lines) > 0 {
		t.Errorf("it left %v", lines)
	}
}
