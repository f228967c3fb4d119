//go:build unix

package crash

import (
	"encoding/json"
	"testing"

	"toolcrib/internal/shortrun"
)

// tasks returns how many tasks the assistant has made.
func tasks(t *testing.T, c testDB) int {
	t.Helper()
	var doc struct {
		Output struct {
			Tasks []json.RawMessage `json:"tasks"`
		} `json:"output"`
	}
	if err := json.Unmarshal([]byte(c.must("", "exec", "get_tasks", "--agent", "assistant", "--user", "ada", "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	return len(doc.Output.Tasks)
}

// waits reports whether a call waits for the user.
func waits(t *testing.T, c testDB, id string) bool {
	t.Helper()
	var doc struct {
		Pending struct {
			State string `json:"state"`
		} `json:"pending"`
	}
	if err := json.Unmarshal([]byte(c.must("", "calls", "show", id, "--json")), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Pending.State == "waiting"
}

// TestKilledCalls kills the approval of a call that waits before every single
// statement it runs: the call waits as before, or its one chance is used, and
// it never runs twice.
func TestKilledCalls(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	before := newTestDB(t)
	before.must("", "calls", "policy", "create_tasks", "requires_approval", "--user", "ada", "--as", "user:ada")
	_, refused, code := before.run("", "exec", "create_tasks", "--agent", "assistant", "--user", "ada", "--args", `{"tasks":[{"title":"Paint the boat"}]}`, "--json")
	var asked struct {
		Pending string `json:"pending"`
	}
	if err := json.Unmarshal([]byte(refused), &asked); err != nil || code != 5 || asked.Pending == "" {
		t.Fatalf("the call was not asked about: %d %s", code, refused)
	}
	approve := []string{"calls", "approve", asked.Pending, "--as", "user:ada"}
	kills, waiting, unrun := 0, 0, 0
	for n := 1; ; n += blows(1, 24) {
		c := before.copied(t)
		if !c.at("statement", n, "", approve...) {
			break
		}
		kills++
		if waits(t, c, asked.Pending) {
			waiting++
			if made := tasks(t, c); made != 0 {
				t.Errorf("kill %d: it waits and made %d tasks", n, made)
			}
			c.must("", approve...)
			if made := tasks(t, c); made != 1 {
				t.Errorf("kill %d: approved again, it made %d tasks", n, made)
			}
		} else {
			made := tasks(t, c)
			if made == 0 {
				unrun++
			}
			if _, _, code := c.run("", approve...); code != 4 {
				t.Errorf("kill %d: approving again has exit status %d", n, code)
			}
			if again := tasks(t, c); again != made || made > 1 {
				t.Errorf("kill %d: %d tasks, then %d", n, made, again)
			}
		}
		c.must("", "verify", "--deep")
	}
	figures.note(t, "kill -9 between two statements of: approve a call", kills, "%d times it went on waiting, %d times its chance was used and it had not run; never twice", waiting, unrun)
}
