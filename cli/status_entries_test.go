package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/cli"
	"toolcrib/internal/shortrun"
)

// repository is a folder with an approved server named far, for a program that knows its own path.
type repository struct {
	testDB
	program string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	program, err := exec.LookPath(Program)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "toolcrib")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	r := repository{newTestDB(t), filepath.Join(bin, "toolcrib")}
	for _, name := range []string{"tools.json", "evil.json"} {
		r.write("repo/"+name, "["+lookTool+"]")
	}
	r.write("repo/bin/toolcrib", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(r.dir, "repo", "bin", "toolcrib"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	r.in(0, "import", "--mcp", fixtureServer+" tools.json", "--server", "far")
	r.approveAll()
	return r
}

// in runs a command in the repository and checks its exit status.
func (r repository) in(status int, args ...string) string {
	r.t.Helper()
	var out, errs bytes.Buffer
	env := r.env(args, strings.NewReader(""), &out, &errs)
	env.Program, env.Dir = r.program, filepath.Join(r.dir, "repo")
	if code := cli.Main(r.t.Context(), env); code != status {
		r.t.Fatalf("%v: exit status %d: %s%s", args, code, out.String(), errs.String())
	}
	return out.String() + errs.String()
}

// statusEntry is an entry in the document of status.
type statusEntry struct {
	Client, Name, Server, State, Reason, Program, Database, Command string
}

// status returns the state of a client's entry far, and the number of servers. It checks the exit code.
func (r repository) status(code int, client string) (entry statusEntry, servers int) {
	r.t.Helper()
	var doc struct {
		OK      bool
		Entries []statusEntry
		Servers []json.RawMessage
	}
	if err := json.Unmarshal([]byte(r.in(code, "status", "--json")), &doc); err != nil {
		r.t.Fatal(err)
	}
	for _, e := range doc.Entries {
		if e.Client == client {
			return e, len(doc.Servers)
		}
	}
	r.t.Fatalf("status does not list the server of %s: %+v", client, doc.Entries)
	return entry, 0
}

// guardEntry returns a JSON file with an entry that starts a program.
func guardEntry(command, args, env string) string {
	return `{"mcpServers":{"far":{"command":"` + command + `","args":[` + args + `],"env":{` + env + `}}}}`
}

const guardFar = `"guard","far","--","` + fixtureServer + `","tools.json"`

// TestStatusNamesWhatAnEntryUses lists entries with guards that use another database, settings, or program than the
// user's. None may count as guarded or show the counts of the user's database, and wrap must repair them if possible
// (S32).
func TestStatusNamesWhatAnEntryUses(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := newRepository(t)
	elsewhere := t.TempDir()
	after := `"guard","far","--","` + fixtureServer + `","tools.json"`
	for name, tc := range map[string]struct {
		file, reason string
		database     string // "" if it is not compared
	}{
		"a flag":                        {guardEntry("toolcrib", `"guard","far","--db","./evil.db","--","`+fixtureServer+`","tools.json"`, ""), "uses ./evil.db (--db)", "repo/evil.db"},
		"a flag in front":               {guardEntry("toolcrib", `"guard","--db","./evil.db","far","--","`+fixtureServer+`","tools.json"`, ""), "uses ./evil.db (--db)", "repo/evil.db"},
		"a global flag":                 {guardEntry("toolcrib", `"--db","./evil.db","guard","far","--","`+fixtureServer+`","tools.json"`, ""), "uses ./evil.db (--db)", "repo/evil.db"},
		"a flag with a sign":            {guardEntry("toolcrib", `"--db=./evil.db","guard","far","--","`+fixtureServer+`","tools.json"`, ""), "uses ./evil.db (--db)", "repo/evil.db"},
		"a flag with another flag":      {guardEntry("toolcrib", `"--json","--db","./evil.db","guard","far","--","`+fixtureServer+`","tools.json"`, ""), "uses ./evil.db (--db)", "repo/evil.db"},
		"a variable":                    {guardEntry("toolcrib", guardFar, `"TOOLCRIB_DB":"./evil.db"`), "uses ./evil.db (TOOLCRIB_DB)", "repo/evil.db"},
		"a variable of the client":      {guardEntry("toolcrib", guardFar, `"TOOLCRIB_DB":"${input:db}"`), "has a placeholder for TOOLCRIB_DB", ""},
		"another home":                  {guardEntry("toolcrib", guardFar, `"HOME":"`+elsewhere+`"`), "reads its settings from " + elsewhere, ""},
		"another home with no database": {guardEntry("toolcrib", guardFar, `"TOOLCRIB_DB":"","HOME":"`+elsewhere+`"`), "uses " + elsewhere, ""},
		"another folder of data":        {guardEntry("toolcrib", guardFar, `"TOOLCRIB_DB":"","XDG_DATA_HOME":"`+elsewhere+`"`), "uses " + elsewhere, ""},
		"another folder of settings":    {guardEntry("toolcrib", guardFar, `"XDG_CONFIG_HOME":"`+elsewhere+`"`), "reads its settings from " + elsewhere, ""},
		"another project":               {guardEntry("toolcrib", guardFar, `"TOOLCRIB_PROJECT":"evil"`), "works in the project evil (TOOLCRIB_PROJECT)", ""},
		"another PATH":                  {guardEntry("toolcrib", guardFar, `"PATH":"`+filepath.Join(r.dir, "repo", "bin")+`"`), "starts another program: toolcrib", ""},
		"a PATH that begins here":       {guardEntry("toolcrib", guardFar, `"PATH":"bin:${PATH}"`), "starts another program: toolcrib", ""},
		"code before the program":       {guardEntry("toolcrib", guardFar, `"LD_PRELOAD":"./evil.so"`), "loads other code into toolcrib (LD_PRELOAD)", ""},
		"a program in the repository":   {guardEntry("./bin/toolcrib", guardFar, ""), "starts another program: ./bin/toolcrib", ""},
		"a program that poses as one":   {guardEntry("./bin/toolcrib", `"mcp"`, ""), "starts another program: ./bin/toolcrib", ""},
		"a program that is gone":        {guardEntry("/opt/gone/toolcrib", guardFar, ""), "starts another program: /opt/gone/toolcrib", ""},
		"env":                           {guardEntry("env", `"TOOLCRIB_DB=./evil.db","toolcrib",`+guardFar, ""), "uses ./evil.db (TOOLCRIB_DB)", "repo/evil.db"},
		"env with options":              {guardEntry("/usr/bin/env", `"--unset=LANG","TOOLCRIB_DB=./evil.db","toolcrib",`+guardFar, ""), "uses ./evil.db (TOOLCRIB_DB)", "repo/evil.db"},
		"an empty environment":          {guardEntry("env", `"-i","HOME=`+elsewhere+`","`+r.program+`",`+guardFar, ""), "uses " + elsewhere, ""},
		"a shell":                       {guardEntry("sh", `"-c","TOOLCRIB_DB='./evil.db' exec toolcrib guard far -- `+fixtureServer+` tools.json"`, ""), "uses ./evil.db (TOOLCRIB_DB)", "repo/evil.db"},
		"env and a shell":               {guardEntry("env", `"A=b","bash","-c","toolcrib --db ./evil.db guard far -- `+fixtureServer+` tools.json"`, ""), "uses ./evil.db (--db)", "repo/evil.db"},
		"a shell with more":             {guardEntry("sh", `"-c","cd bin && toolcrib guard far -- `+fixtureServer+` tools.json"`, ""), "has a command line that cannot be interpreted: the command does more than set variables", ""},
		"a shell with a variable":       {guardEntry("sh", `"-c","toolcrib guard far --db \"$X\" -- `+fixtureServer+` tools.json"`, ""), "has a command line that cannot be interpreted", ""},
		"a flag that there is not":      {guardEntry("toolcrib", `"guard","far","--frob","--","`+fixtureServer+`"`, ""), "has unknown arguments: unknown flag: --frob", ""},
		"no server":                     {guardEntry("toolcrib", `"guard","far"`, ""), "has unknown arguments", ""},
		"no log":                        {guardEntry("toolcrib", `"guard","far","--dry-run","--","`+fixtureServer+`","tools.json"`, ""), "does not log its calls (--dry-run)", ""},
		"another folder":                {`{"mcpServers":{"far":{"command":"toolcrib","cwd":"bin","args":["--db","evil.db",` + after + `]}}}`, "uses evil.db (--db)", "repo/bin/evil.db"},
		"a file of variables":           {`{"mcpServers":{"far":{"command":"toolcrib","envFile":"${workspaceFolder}/.env","args":[` + after + `]}}}`, "uses ./evil.db (TOOLCRIB_DB)", "repo/evil.db"},
	} {
		t.Run(name, func(t *testing.T) {
			r := r
			r.t = t
			r.write("repo/.mcp.json", tc.file)
			r.write("repo/.env", "export TOOLCRIB_DB=\"./evil.db\"\n")
			e, servers := r.status(6, "claude-code")
			if e.State != "open" || e.Server != "" || servers != 0 || !strings.Contains(e.Reason, tc.reason) || !strings.Contains(e.Reason, "toolcrib wrap claude-code --here") {
				t.Errorf("%d servers, %+v", servers, e)
			}
			if want := filepath.Join(r.dir, tc.database); tc.database != "" && e.Database != want {
				t.Errorf("the database is %s; want %s", e.Database, want)
			}
			if text := r.in(6, "status"); !strings.Contains(text, "claude-code (project)\tfar\tnot guarded\t\t") || !strings.Contains(text, "not guarded: the guard "+tc.reason) {
				t.Errorf("%s", text)
			}
			before := tc.file
			if strings.Contains(tc.file, "envFile") {
				if out := r.in(6, "wrap", "claude-code", "--here", "--yes"); !strings.Contains(out, "with the variables of this entry, a guard uses ./evil.db") {
					t.Errorf("%s", out)
				}
				return
			}
			r.in(0, "wrap", "claude-code", "--here", "--dry-run")
			r.in(0, "wrap", "claude-code", "--here")
			if text, err := os.ReadFile(filepath.Join(r.dir, "repo", ".mcp.json")); err != nil || string(text) != before {
				t.Fatalf("written unasked: %s, %v", text, err)
			}
			r.in(0, "wrap", "claude-code", "--here", "--yes")
			if e, _ := r.status(0, "claude-code"); e.State != "guarded" || e.Reason != "" || e.Database != filepath.Join(r.dir, "test.db") {
				text, _ := os.ReadFile(filepath.Join(r.dir, "repo", ".mcp.json"))
				t.Errorf("repaired as %s: %+v", text, e)
			}
		})
	}
	for name, file := range map[string]string{
		"the plain word":      guardEntry("toolcrib", guardFar, `"A":"b"`),
		"the path":            guardEntry(r.program, guardFar, ""),
		"the user's database": guardEntry("toolcrib", `"--db","`+filepath.Join(r.dir, "test.db")+`",`+guardFar, ""),
		"the user's PATH":     guardEntry("toolcrib", guardFar, `"PATH":"${PATH}:/opt/bin","HOME":"${env:HOME}"`),
		"a shell":             guardEntry("sh", `"-c","exec toolcrib guard far -- `+fixtureServer+` tools.json"`, ""),
		"env":                 guardEntry("env", `"A=b","toolcrib",`+guardFar, ""),
	} {
		r.write("repo/.mcp.json", file)
		e, servers := r.status(0, "claude-code")
		if e.State != "guarded" || e.Server != "far" || servers != 1 || e.Program != r.program || e.Database != filepath.Join(r.dir, "test.db") || !strings.HasSuffix(e.Command, "tools.json") {
			t.Errorf("%s: %d servers, %+v", name, servers, e)
		}
		if text := r.in(0, "status"); !strings.Contains(text, "claude-code (project)\tfar\tguarded\t1\t0\t0\t") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestWrapReplacesAnUnreadableGuard wraps an entry with a guard that has invalid arguments. The new guard must replace
// it, and unwrap must restore the bare server (S32).
func TestWrapReplacesAnUnreadableGuard(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := newRepository(t)
	for _, args := range []string{
		`"guard","far","--frob","--","` + fixtureServer + `","tools.json"`,
		`"guard","--frob=x","far","--","` + fixtureServer + `","tools.json"`,
		`"--frob","guard","far","--","` + fixtureServer + `","tools.json"`,
		`"guard","far","near","--","` + fixtureServer + `","tools.json"`,
	} {
		r.write("repo/.mcp.json", guardEntry("toolcrib", args, ""))
		if e, servers := r.status(6, "claude-code"); e.State != "open" || servers != 0 || !strings.Contains(e.Reason, "has unknown arguments") {
			t.Errorf("%s: %d servers, %+v", args, servers, e)
		}
		r.in(0, "wrap", "claude-code", "--here", "--yes")
		text, err := os.ReadFile(filepath.Join(r.dir, "repo", ".mcp.json"))
		if err != nil || strings.Count(string(text), `"guard"`) != 1 || strings.Contains(string(text), "frob") {
			t.Errorf("%s: wrapped as %s, %v", args, text, err)
		}
		if e, servers := r.status(0, "claude-code"); e.State != "guarded" || e.Server != "far" || servers != 1 {
			t.Errorf("%s: wrapped as %s: %d servers, %+v", args, text, servers, e)
		}
	}
}

// TestEnvChangesTheFolder puts env -C before a guard. The folder that it selects must be part of the approved command,
// and a single wrap must repair the entry (S41).
func TestEnvChangesTheFolder(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := newRepository(t)
	cl := r.behindGuard(nil, "guard", "far", "--", fixtureServer, filepath.Join(r.dir, "repo", "tools.json"))
	if res, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "lookUp", Arguments: map[string]any{"what": "x"}}); err != nil || res.IsError {
		t.Fatalf("%+v, %v", res, err)
	}
	_ = cl.Close()
	tools, err := os.ReadFile(filepath.Join(r.dir, "repo", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("repo/bin/tools.json", string(tools))
	for name, tc := range map[string]struct {
		command, args string
		guarded       bool   // before wrap
		server        string // after it
	}{
		"another file of that name":   {"env", `"-C","bin","toolcrib","guard","far","--","` + fixtureServer + `","tools.json"`, false, "far_2"},
		"another file behind a guard": {"toolcrib", `"guard","far","--","env","-C","bin","` + fixtureServer + `","tools.json"`, false, "far_2"},
		"the same file":               {"env", `"-C","bin","toolcrib","guard","far","--","` + fixtureServer + `","../tools.json"`, true, "far"},
		"the same file behind":        {"toolcrib", `"guard","far","--","env","-C","bin","` + fixtureServer + `","../tools.json"`, true, "far"},
		"another program":             {"env", `"-C","bin","./toolcrib","guard","far","--","` + fixtureServer + `","../tools.json"`, false, "far"},
		"two folders":                 {"env", `"-C","bin","env","-C","..","./bin/toolcrib","guard","far","--","` + fixtureServer + `","tools.json"`, false, "far"},
	} {
		r.write("repo/.mcp.json", guardEntry(tc.command, tc.args, ""))
		if e, _ := r.status(map[bool]int{true: 0, false: 6}[tc.guarded], "claude-code"); (e.State == "guarded") != tc.guarded {
			t.Errorf("%s: %+v", name, e)
		}
		r.in(0, "wrap", "claude-code", "--here", "--yes")
		if e, _ := r.status(0, "claude-code"); e.State != "guarded" || e.Server != tc.server {
			t.Errorf("%s: after wrap: %+v", name, e)
		}
	}
}

// TestWrapRejectsOtherDatabase wraps a server with environment variables that would select another database for its
// guard. The entry must remain unchanged, and the reason must be printed (S32).
func TestWrapRejectsOtherDatabase(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := newRepository(t)
	file := guardEntry(fixtureServer, `"tools.json"`, `"HOME":"`+t.TempDir()+`"`)
	r.write("repo/.mcp.json", file)
	if out := r.in(6, "wrap", "claude-code", "--here", "--yes"); !strings.Contains(out, "with the variables of this entry, a guard reads its settings from") {
		t.Errorf("%s", out)
	}
	if text, err := os.ReadFile(filepath.Join(r.dir, "repo", ".mcp.json")); err != nil || string(text) != file {
		t.Errorf("%s, %v", text, err)
	}
}

// TestWrapNeedsTheProgramInThePath wraps a server in a project's file, which names the program without a folder, while
// the PATH does not contain the program. The reason must not blame variables, because the entry has none.
func TestWrapNeedsTheProgramInThePath(t *testing.T) {
	r := newRepository(t)
	r.write("repo/.mcp.json", guardEntry(fixtureServer, `"tools.json"`, ""))
	t.Setenv("PATH", t.TempDir())
	if out := r.in(6, "wrap", "claude-code", "--here", "--yes"); !strings.Contains(out, "starts toolcrib, which is not in its PATH; install toolcrib into a folder in your PATH first") {
		t.Errorf("%s", out)
	}
}

// TestApprovedNameWithAnotherCommand replaces the server with an approved name in the files of three clients. status
// must report it, the log must contain its command, and wrap must give it a new name without approvals (S41).
func TestApprovedNameWithAnotherCommand(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := newRepository(t)
	cl := r.behindGuard(nil, "guard", "far", "--", fixtureServer, filepath.Join(r.dir, "repo", "evil.json"), "--token", "s3cret")
	if res, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "lookUp", Arguments: map[string]any{"what": "x"}}); err != nil || res.IsError {
		t.Fatalf("%+v, %v", res, err)
	}
	_ = cl.Close()
	if log := r.in(0, "calls", "log"); !strings.Contains(log, fixtureServer) {
		t.Errorf("the log does not have the command: %s", log)
	}
	if log := r.in(0, "calls", "log", "--json"); !strings.Contains(log, `/repo/evil.json --token ***"`) || strings.Contains(log, `"customer"`) {
		t.Errorf("%s", log)
	}
	r.in(0, "verify")
	for client, tc := range map[string]struct{ path, file string }{
		"claude-code": {".mcp.json", guardEntry("toolcrib", `"guard","far","--","`+fixtureServer+`","evil.json"`, "")},
		"vscode":      {".vscode/mcp.json", `{"servers":{"far":{"type":"stdio","command":"toolcrib","args":["guard","far","--","` + fixtureServer + `","${workspaceFolder}/evil.json"]}}}`},
		"codex":       {".codex/config.toml", "[mcp_servers.far]\ncommand = \"toolcrib\"\nargs = [\"guard\", \"far\", \"--\", \"" + fixtureServer + "\", \"evil.json\"]\n"},
	} {
		t.Run(client, func(t *testing.T) {
			r := r
			r.t = t
			path := filepath.Join(r.dir, "repo", tc.path)
			r.write("repo/"+tc.path, tc.file)
			e, servers := r.status(6, client)
			if e.State != "open" || servers != 0 || !strings.Contains(e.Reason, "the guard has a name that is approved for another command, not for "+fixtureServer+" ") || !strings.Contains(e.Reason, "evil.json; ") {
				t.Errorf("%d servers, %+v", servers, e)
			}
			r.write("repo/"+tc.path, strings.ReplaceAll(tc.file, "evil.json", "tools.json"))
			if e, _ := r.status(0, client); e.State != "guarded" || e.Server != "far" {
				t.Errorf("the approved command: %+v", e)
			}
			r.write("repo/"+tc.path, tc.file)
			r.in(0, "wrap", client, "--here", "--yes")
			if e, _ := r.status(0, client); e.State != "guarded" || e.Server == "far" || !strings.HasSuffix(e.Command, "evil.json") {
				t.Errorf("wrapped again: %+v", e)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestStatusOfServerNamedLikeAFilter counts waiting proposals of servers with names that have a meaning in filters.
func TestStatusOfServerNamedLikeAFilter(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := newTestDB(t)
	c.write("tools.json", guardedTools)
	for _, name := range []string{"unread", "stale", "s1"} {
		c.run("import", "tools.json", "--server", name)
		if out := c.run("import", "tools.json", "--server", name); !strings.Contains(out, "2 proposed before") {
			t.Errorf("%s again: %s", name, out)
		}
	}
	var doc struct {
		Servers []struct {
			Name    string
			Waiting int
		}
	}
	if _, out := c.exits("status", "--json"); json.Unmarshal([]byte(out), &doc) != nil || len(doc.Servers) != 3 {
		t.Fatal(out)
	}
	for _, server := range doc.Servers {
		if server.Waiting != 2 {
			t.Errorf("%+v", server)
		}
	}
}
