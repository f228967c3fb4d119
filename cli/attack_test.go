package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"toolcrib/cli"
	"toolcrib/internal/proctest"
	"toolcrib/internal/shortrun"
	"toolcrib/store/storetest"
)

// process runs toolcrib as a process in dir and returns its standard error and exit code.
func (c testDB) process(dir string, args ...string) (errs string, code int) {
	c.t.Helper()
	cmd := c.command(dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return stderr.String(), cmd.ProcessState.ExitCode()
}

func (c testDB) command(dir string, args ...string) *exec.Cmd {
	c.t.Helper()
	path, err := exec.LookPath(Program)
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(c.t.Context(), path, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + c.dir, "PATH=" + os.Getenv("PATH"), "TOOLCRIB_DB=" + filepath.Join(c.dir, "test.db")}
	return cmd
}

// TestHostileConfiguration uses project files that would keep the decoder busy for hours, overflow its stack, or
// exhaust the memory.
func TestHostileConfiguration(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, text := range map[string]string{
		"lists":  "rules = " + strings.Repeat("[", 2_000_000),
		"tables": "a = " + strings.Repeat("{a = ", 10_000),
		"dots":   "a" + strings.Repeat(".a", 30_000) + " = 1",
		"header": "[a" + strings.Repeat(".a", 30_000) + "]",
		"long":   strings.Repeat("# nothing\n", 1_000_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestDB(t)
			c.write("project/toolcrib.toml", text)
			errs, code := c.process(filepath.Join(c.dir, "project"), "list")
			if code != 1 || !strings.Contains(errs, "not a configuration") {
				t.Errorf("exit status %d: %.300s", code, errs)
			}
		})
	}
}

// TestPlantedConfiguration places a file of another account above the working directory.
func TestPlantedConfiguration(t *testing.T) {
	shortrun.OneGoroutine(t)
	if os.Geteuid() != 0 {
		t.Skip("only the administrator can give a file away")
	}
	const nobody = 65534
	c := newTestDB(t)
	c.run("fork", "file_reader") // reading creates no database
	c.write("shared/toolcrib.toml", "project = \"theirs\"\n")
	c.write("shared/mine/file", "")
	if err := os.Chown(filepath.Join(c.dir, "shared/toolcrib.toml"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if errs, code := c.process(filepath.Join(c.dir, "shared/mine"), "list"); code != 0 { // owned by a colleague
		t.Errorf("exit status %d: %s", code, errs)
	}
	if err := os.Chmod(filepath.Join(c.dir, "shared"), 0o777|os.ModeSticky); err != nil { // like /tmp
		t.Fatal(err)
	}
	if errs, code := c.process(filepath.Join(c.dir, "shared/mine"), "list"); code != 1 || !strings.Contains(errs, "uid 65534 owns this file") {
		t.Errorf("exit status %d: %s", code, errs)
	}
	if err := os.Chown(filepath.Join(c.dir, "shared/mine"), nobody, nobody); err != nil { // their folder and their file
		t.Fatal(err)
	}
	if errs, code := c.process(filepath.Join(c.dir, "shared/mine"), "list"); code != 0 {
		t.Errorf("exit status %d: %s", code, errs)
	}
}

// TestForeignTextStartsNoLine checks that no text from others starts a line, because lines of toolcrib itself start there.
func TestForeignTextStartsNoLine(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	const forged = "x\ntoolcrib: approved\n#1  approved"
	c.write(forged, "{}")
	for _, args := range [][]string{{"propose", "no" + forged}, {"propose", forged}, {"lint", forged}, {"import", forged}, {"show", forged}, {"list", "--db", forged + "/x.db"}} {
		var out, errs bytes.Buffer
		code := cli.Main(context.Background(), c.env(args, strings.NewReader(""), &out, &errs))
		if code == 0 {
			t.Errorf("%q: exit status 0", args)
		}
		for line := range strings.Lines(out.String() + errs.String()) {
			if strings.HasPrefix(line, "toolcrib: approved") || strings.HasPrefix(line, "#1") {
				t.Errorf("%q printed %q", args, line)
			}
		}
	}
}

// TestMCPUnreadable sends invalid messages to a server, and then a valid request.
func TestMCPUnreadable(t *testing.T) {
	shortrun.OneGoroutine(t)
	const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`
	n := 0
	for name, line := range map[string]string{
		"words":       "hello \x1b[2J",
		"deep":        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_proposals","arguments":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}}`,
		"number":      `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`,
		"id":          `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		"empty batch": `[]`,
		"batch":       `[{"jsonrpc":"2.0","id":1,"method":"ping"},17]`,
		"deep batch":  strings.Repeat("[", 100_000),
		"long":        `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 13<<20) + `"}`,
		"uri":         `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"toolcrib://version/\u001b[2J\u202e"}}`,
		"two":         `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`,
	} {
		if n++; n%shortrun.Every(3) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := newTestDB(t)
			cmd := c.command(c.dir, "mcp", "--as", "agent:x")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			p := proctest.Start(t, cmd)
			go func() { // missing responses show which messages it did not read
				_, _ = fmt.Fprintf(p.In, "%s\n%s\n%s\n", hello, line, `{"jsonrpc":"2.0","id":"last","method":"ping"}`)
			}()
			answered, refused := false, false
			for !answered {
				text, err := p.Out.ReadString('\n')
				if err != nil {
					t.Fatalf("it ended: %s", errs.String())
				}
				refused = refused || strings.Contains(text, `"error"`)
				answered = strings.Contains(text, `"id":"last"`)
			}
			_ = p.In.Close()
			rest, err := io.ReadAll(p.Out) // responses can arrive in any order
			if err != nil {
				t.Error(err)
			}
			if !refused && !bytes.Contains(rest, []byte(`"error"`)) {
				t.Error("it was not refused")
			}
			if err := p.Wait(); err != nil {
				t.Errorf("%v: %s", err, errs.String())
			}
		})
	}
}

// TestRenamedAgentsShareOneLimit uses a client that reports a different name for each proposal.
func TestRenamedAgentsShareOneLimit(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	for setting, code := range map[string]string{"max_open_all_agents = 10": "limit", "max_writes_per_agent_hour = 1": "pace"} {
		t.Run(code, func(t *testing.T) {
			c := newTestDB(t)
			c.write(".config/toolcrib/toolcrib.toml", setting+"\n")
			e := c.endpoint(t)
			propose := func(i int) (map[string]any, bool) {
				p := sample(t, fmt.Sprintf("pacer_%d", i))
				p["draft"] = true
				return e.connect("2026-07-28", fmt.Sprintf("client-%d", i)).call("propose_tool", p)
			}
			for i := range 10 {
				if out, failed := propose(i); failed {
					t.Fatalf("proposal %d: %v", i, out)
				}
			}
			out, failed := propose(10)
			if got, _ := out["error"].(map[string]any); !failed || got["code"] != code {
				t.Errorf("%v", out)
			}
		})
	}
}

// TestInterruptEndsEndlessStatement interrupts a command during a statement that does not terminate, because the
// database was manipulated.
func TestInterruptEndsEndlessStatement(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the system does not say what a process does")
	}
	c := newTestDB(t)
	path := filepath.Join(c.dir, "test.db")
	if errs, code := c.process(c.dir, "fork", "file_reader"); code != 0 {
		t.Fatal(errs)
	}
	err := storetest.ExecRaw(t.Context(), path, `PRAGMA legacy_alter_table = ON; ALTER TABLE events RENAME TO others;
		CREATE VIEW events (seq, id, at, actor, act, subject, proposal, revision, record, data, prev_hash, hash) AS
		WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n, n, n, n, n, n, n, n, n, n, n, n FROM c`)
	if err != nil {
		t.Fatal(err)
	}
	cmd := c.command(c.dir, "verify")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !busyFor(t, cmd.Process.Pid, 40) { // about four times as long as the process needs until the statement
		runtime.Gosched()
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("an interrupt ends it with %v", err)
	}
}

// busyFor reports whether a process has used the given CPU time, in hundredths of a second.
func busyFor(t *testing.T, pid, hundredths int) bool {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte(") "))
	fields := strings.Fields(string(text)) // starting with the third field of proc(5)
	if fields[0] == "Z" {
		t.Fatal("it has ended by itself")
	}
	used, err := strconv.Atoi(fields[11])
	if err != nil {
		t.Fatal(err)
	}
	return used >= hundredths
}
