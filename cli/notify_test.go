package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolcrib/cli"
	"toolcrib/cli/notices"
)

// receiver is a webhook that records notices, and rejects them while it is down.
type receiver struct {
	mu      sync.Mutex
	down    bool
	notices []notices.Notice
	forged  int
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(req.Body)
	at, sum, _ := strings.Cut(strings.TrimPrefix(req.Header.Get(notices.SignatureHeader), "t="), ",v1=")
	if err != nil || sum != notices.Sign("for the fixture alone", at, body) {
		r.forged++
	}
	if r.down {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	var n notices.Notice
	if err := json.Unmarshal(body, &n); err == nil {
		r.notices = append(r.notices, n)
	}
}

func (r *receiver) set(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = down
}

func (r *receiver) events(t *testing.T) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.forged > 0 {
		t.Errorf("%d notices have another signature", r.forged)
	}
	var all []string
	for _, n := range r.notices {
		all = append(all, string(n.Event)+" "+n.Subject)
	}
	return strings.Join(all, ", ")
}

// exits runs a command and returns its exit status and output.
func (c testDB) exits(args ...string) (int, string) {
	c.t.Helper()
	var out bytes.Buffer
	code := cli.Main(context.Background(), c.env(args, strings.NewReader(""), &out, &out))
	return code, out.String()
}

// TestNotices notifies a web address and a program of objects that wait for the user: a proposal, a stale proposal, and
// a call. Notices that were not received must be sent later, but only once.
func TestNotices(t *testing.T) {
	r := &receiver{}
	web := httptest.NewServer(r)
	defer web.Close()
	c := newTestDB(t)
	c.write("keep.sh", "#!/bin/sh\ncat >> told.jsonl\n")
	if err := os.Chmod(filepath.Join(c.dir, "keep.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.write(".config/toolcrib/toolcrib.toml", "[notify]\nurl = \""+web.URL+"\"\nsecret_env = \"FIXTURE_SECRET\"\ncommand = [\""+filepath.Join(c.dir, "keep.sh")+"\"]\n")
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	c.write("one.json", string(text))
	c.run("propose", "one.json", "--as", "user:tester")
	if got := r.events(t); got != "user_review tool:user/scene_pacer" {
		t.Fatalf("after a proposal: %s", got)
	}

	r.set(true)
	c.write("two.json", strings.Replace(string(text), "drags or hurries", "drags, or hurries", 1))
	c.run("propose", "two.json", "--as", "user:tester")
	c.run("approve", "1") // the failing receiver does not block it
	r.set(false)
	c.write("three.json", strings.Replace(string(text), "scene_pacer", "pace_keeper", 1))
	c.run("propose", "--draft", "three.json", "--as", "user:tester")
	if got := r.events(t); strings.Contains(got, "stale") {
		t.Fatalf("a draft tells somebody: %s", got)
	}
	c.run("calls", "policy", "create_tasks", "requires_approval")
	if code, out := c.exits("exec", "create_tasks", "--agent", "assistant", "--args", `{"tasks":[{"title":"Read the proofs"}]}`); code != 5 {
		t.Fatalf("exit status %d: %s", code, out)
	}
	want := "user_review tool:user/scene_pacer, user_review tool:user/scene_pacer, stale tool:user/scene_pacer, call_waiting tool:global/create_tasks"
	if got := r.events(t); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	told, err := os.ReadFile(filepath.Join(c.dir, ".config", "toolcrib", "told.jsonl"))
	if err != nil || strings.Count(string(told), "\n") != 4 || !strings.Contains(string(told), `"event":"call_waiting"`) {
		t.Errorf("the program was told %s, %v", told, err)
	}
}

// TestNoticesAreTheUsersOwn checks that a project's file must not specify a program or an address.
func TestNoticesAreTheUsersOwn(t *testing.T) {
	c := newTestDB(t)
	c.write("toolcrib.toml", "[notify]\ncommand = [\"sh\"]\n")
	if code, out := c.exits("list"); code == 0 || !strings.Contains(out, "notify") {
		t.Errorf("exit status %d: %s", code, out)
	}
}

// TestNoticesThatFailForGood checks that a notice is dropped after a day, so that it does not block later ones.
func TestNoticesThatFailForGood(t *testing.T) {
	r := &receiver{down: true}
	web := httptest.NewServer(r)
	defer web.Close()
	c := newTestDB(t)
	c.write(".config/toolcrib/toolcrib.toml", "[notify]\nurl = \""+web.URL+"\"\nsecret_env = \"FIXTURE_SECRET\"\n")
	for i, id := range []string{"first_pacer", "second_pacer", "third_pacer"} {
		r.set(i < 2)
		c.proposeAfter(time.Duration(i)*25*time.Hour, id)
	}
	if got := r.events(t); got != "user_review tool:user/second_pacer, user_review tool:user/third_pacer" {
		t.Error(got)
	}
}

// TestOldNoticesAreTriedAgain checks that a notice that was not sent for a day is not dropped when one attempt fails.
func TestOldNoticesAreTriedAgain(t *testing.T) {
	r := &receiver{}
	web := httptest.NewServer(r)
	defer web.Close()
	c := newTestDB(t)
	const config = ".config/toolcrib/toolcrib.toml"
	notify := "[notify]\nurl = \"" + web.URL + "\"\nsecret_env = \"FIXTURE_SECRET\"\n"
	for i, id := range []string{"first_pacer", "second_pacer", "third_pacer", "fourth_pacer"} {
		if c.write(config, notify); i == 1 {
			c.write(config, "")
		}
		r.set(i == 2)
		c.proposeAfter(time.Duration(i)*25*time.Hour, id)
	}
	if got := r.events(t); got != "user_review tool:user/first_pacer, user_review tool:user/second_pacer, user_review tool:user/third_pacer, user_review tool:user/fourth_pacer" {
		t.Error(got)
	}
}

// proposeAfter proposes a tool at a time after the start of a test.
func (c testDB) proposeAfter(after time.Duration, id string) {
	c.t.Helper()
	text, err := os.ReadFile("../testdata/scripts/sample.json")
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(id+".json", strings.ReplaceAll(string(text), "scene_pacer", id))
	var out bytes.Buffer
	env := c.env([]string{"propose", id + ".json", "--as", "user:tester"}, strings.NewReader(""), &out, &out)
	env.Now = func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(after) }
	if code := cli.Main(context.Background(), env); code != 0 {
		c.t.Fatalf("exit status %d: %s", code, out.String())
	}
}
