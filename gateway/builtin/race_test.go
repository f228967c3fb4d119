package builtin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"toolcrib/gateway/builtin"
	"toolcrib/internal/proctest"
	"toolcrib/internal/shortrun"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// childVariable makes the test binary run child instead of the tests. Its value is
// the database.
const childVariable = "TOOLCRIB_BUILTIN_CHILD"

func TestMain(m *testing.M) {
	path := os.Getenv(childVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := child(path, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// rounds is the number of records that each process creates.
const rounds = 20

// child creates tasks, memories, links and projects for ada, deletes a task that
// all processes know, and returns the outcome.
func child(path, series string) error {
	ctx := context.Background()
	var n uint16
	if _, err := fmt.Sscan(series, &n); err != nil {
		return err
	}
	clock, ids := storetest.NewClock(), storetest.IDs(n)
	db, err := store.Open(ctx, path, store.Options{Now: clock.Now, NewID: ids})
	if err != nil {
		return err
	}
	c := testDBOn(&storetest.Database{DB: db, Clock: clock, NewID: ids})
	fmt.Println("ready")
	in := bufio.NewReader(os.Stdin)
	known, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	run := func(tool, args string) (doc, error) {
		out, err := c.provider.Run(ctx, c.invocation("ada", tool, args))
		var v doc
		if err == nil {
			err = json.Unmarshal(out.Object, &v)
		}
		return v, err
	}
	for i := range rounds {
		made, err := run("create_memories", fmt.Sprintf(`{"content":"Run %d of process %s","project":"Project %d"}`, i, series, i))
		if err != nil {
			return err
		}
		_, task := run("create_tasks", fmt.Sprintf(`{"tasks":[{"title":"Task %d of %s","project":"PROJECT %d"}]}`, i, series, i))
		_, link := run("link_memories", fmt.Sprintf(`{"id":%q,"to_entity":"Entity %d"}`, made.text("memory.id"), i))
		if err := errors.Join(task, link); err != nil {
			return err
		}
	}
	gone, err := run("delete_tasks", fmt.Sprintf(`{"ids":[%q]}`, strings.TrimSpace(known)))
	if err != nil {
		return err
	}
	fmt.Println("deleted", len(gone.at("deleted").([]any)))
	return db.Close()
}

// TestProcessesAtOnce lets several processes work for the same user concurrently:
// no record is lost, projects and entities with the same name are created once, and
// the common task is deleted once.
func TestProcessesAtOnce(t *testing.T) {
	shortrun.OneGoroutine(t)
	const processes = 4
	c := newTestDB(t)
	known := c.ada(t, "create_tasks", `{"tasks":[{"title":"Known to all"}]}`).text("tasks.0.id")
	var done sync.WaitGroup
	var mu sync.Mutex
	deleted := 0
	for i := range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0], fmt.Sprint(i+1))
		cmd.Env = append(os.Environ(), childVariable+"="+c.Path())
		cmd.Stderr = os.Stderr
		p := proctest.Start(t, cmd)
		if line, err := p.Out.ReadString('\n'); line != "ready\n" {
			t.Fatalf("process %d says %q, %v", i, line, err)
		}
		done.Go(func() {
			_, err := io.WriteString(p.In, known+"\n")
			said, readErr := io.ReadAll(p.Out)
			if err := errors.Join(err, readErr, p.Wait()); err != nil {
				t.Error(err)
			}
			var n int
			if _, err := fmt.Sscanf(string(said), "deleted %d", &n); err != nil {
				t.Errorf("process %d says %q", i, said)
			}
			mu.Lock()
			defer mu.Unlock()
			deleted += n
		})
	}
	done.Wait()
	expect(t, "deleted", deleted, 1)
	expect(t, "tasks", len(c.ada(t, "get_tasks", `{"limit":200}`).at("tasks").([]any)), processes*rounds)
	expect(t, "memories", len(c.ada(t, "get_memories", `{"limit":200}`).at("memories").([]any)), processes*rounds)
	entities := c.ada(t, "get_entities", `{"limit":200}`)
	expect(t, "entities", len(entities.at("entities").([]any)), rounds)
	expect(t, "memories of one", entities.at("entities.0.memories"), any(float64(processes)))
	expect(t, "tasks of a project", len(c.ada(t, "get_tasks", `{"project":"Project 7"}`).at("tasks").([]any)), processes)
	err := c.ReadAssistant(t.Context(), builtin.Owner{User: "ada"}, c.now, func(r builtin.Reader) error {
		names, err := r.Projects(t.Context())
		expect(t, "projects", len(names), rounds)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
