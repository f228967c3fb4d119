package cli_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
)

// TestGuardOnPostgres guards a server with logins of each role, and checks which of them can propose, under which name,
// and which of them can call.
func TestGuardOnPostgres(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	cluster := pgtest.Shared(t)
	database := cluster.New(t, "")
	c := newTestDB(t)
	c.write("tools.json", guardedTools)
	as := func(login string) string { return "--db=" + cluster.URL(login, database) }
	run := func(login string, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if code := cli.Main(t.Context(), c.env(append(args, as(login)), strings.NewReader(""), &out, &out)); code != 0 {
			t.Fatalf("%s: toolcrib %s: exit status %d: %s", login, strings.Join(args, " "), code, out.String())
		}
		return out.String()
	}
	if err := cluster.Exec(t.Context(), `CREATE ROLE "user:warden" LOGIN; CREATE ROLE "agent:helper" LOGIN; CREATE ROLE relay LOGIN`); err != nil {
		t.Fatal(err)
	}
	run(pgtest.Superuser, "migrate")
	if err := cluster.Exec(t.Context(), `GRANT toolcrib_user TO "user:warden"; GRANT toolcrib_agent TO "agent:helper"; GRANT toolcrib_server TO relay`); err != nil {
		t.Fatal(err)
	}
	for login, want := range map[string]struct{ author, actor string }{
		"relay":        {"system", "agent:~desk"},
		"user:warden":  {"user:warden", "agent:~desk"},
		"agent:helper": {"agent:helper", "agent:helper"}, // its rows have its own name
	} {
		name := strings.ReplaceAll(login, ":", "_")
		cl := c.guarded(name, as(login))
		if got := cl.tools(); got != "" {
			t.Errorf("%s: the client is listed %s", login, got)
		}
		for late := time.Now().Add(longest); !strings.Contains(run("user:warden", "list"), name+"_find_book"); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("%s proposes nothing: %s", login, cl.errs)
			}
		}
		if list := run("user:warden", "list", "--author", want.author); !strings.Contains(list, name+"_lend_book") {
			t.Errorf("%s: %s proposes %s", login, want.author, list)
		}
		run("user:warden", "--approve", "set:"+name, "--unseen")
		cl.told()
		if out, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "lend_book", Arguments: map[string]any{}}); err != nil || out.IsError {
			t.Errorf("%s: the call ends with %+v, %v", login, out, err)
		}
		if log := run("user:warden", "calls", "log", "--limit", "1"); !strings.Contains(log, want.actor+"\tguard:"+name) || strings.Contains(cl.errs.String(), "could not be recorded") {
			t.Errorf("%s: the log has %s\n%s", login, log, cl.errs)
		}
	}
	run("user:warden", "verify")
}
