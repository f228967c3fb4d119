package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway/follow"
	"toolcrib/internal/shortrun"
)

// TestGuardFollows guards a server on a machine without a database. The guard must list and call the tools that another
// machine approved and published, inform its client of a later approval, continue while the source is not available,
// and log the calls.
func TestGuardFollows(t *testing.T) {
	shortrun.OneGoroutine(t)
	a, b := newTestDB(t), testDB{t, t.TempDir()}
	public := filepath.Join(a.dir, "public")
	approve := func(tools string) {
		a.write("tools.json", tools)
		a.run("import", "tools.json", "--server", "library")
		a.run("--approve", "set:library", "--unseen")
		a.run("publish", public)
	}
	approve(`[{"name": "find_book", "description": "Find a book.", "inputSchema": {"type": "object", "properties": {"title": {"type": "string", "description": "Its title."}}}}]`)
	b.write("tools.json", guardedTools)
	b.run("follow", public, "--unsigned", "--yes")
	config := filepath.Join(b.dir, ".config", "toolcrib", "toolcrib.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(text, "every = \"1s\"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	cl := b.guarded("library")
	if got := cl.tools(); got != "find_book: Find a book." {
		t.Errorf("the client is listed %q", got)
	}
	if got := cl.refusedCall("lend_book"); !strings.Contains(got, "not an approved tool") || !strings.Contains(got, "follows the registry "+public+". Changes to the registry can be approved by anyone with write access.") {
		t.Errorf("lend_book is refused with %q", got)
	}
	approve(guardedTools)
	cl.told()
	if got := cl.tools(); got != "find_book: Find a book., lend_book: Lend a book." {
		t.Errorf("after the second approval the client is listed %q", got)
	}
	if err := os.Rename(public, public+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_book", Arguments: map[string]any{"title": "x"}}); err != nil {
		t.Errorf("a call without the source: %v", err)
	}
	journal := follow.Journal{Dir: filepath.Join(b.dir, ".local", "share", "toolcrib", "calls")}
	if lines, _, err := journal.Verify(); err != nil || lines < 3 {
		t.Errorf("the log of calls has %d lines, %v", lines, err)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "test.db")); err == nil {
		t.Error("there is a database")
	}
	if out := b.run("status"); strings.Contains(out, "database") {
		t.Errorf("status prints %s", out)
	}
}

// served starts toolcrib serve --bundle in the folder of a database, and returns the address of its registry and a file
// with a token.
func (c testDB) served() (address, token string) {
	c.t.Helper()
	var doc struct{ Secret string }
	if err := json.Unmarshal([]byte(c.run("tokens", "create", "assistant", "--any-user", "--json")), &doc); err != nil {
		c.t.Fatal(err)
	}
	c.write("token", doc.Secret+"\n")
	cmd := c.command(c.dir, "serve", "--bundle", "--http", "127.0.0.1:0")
	errs, err := cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	log := bufio.NewScanner(errs)
	for log.Scan() {
		if found := regexp.MustCompile(`address=(http://\S+)`).FindStringSubmatch(log.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, errs) }()
			return found[1] + follow.ServePath, filepath.Join(c.dir, "token")
		}
	}
	c.t.Fatal("toolcrib serve did not start")
	return "", ""
}

// TestGuardFollowsServe follows toolcrib serve. Its events must inform a guard of an approval long before the next
// regular check. Without a token, the source must be rejected.
func TestGuardFollowsServe(t *testing.T) {
	shortrun.OneGoroutine(t)
	a, b := newTestDB(t), testDB{t, t.TempDir()}
	a.write("tools.json", `[{"name": "find_book", "description": "Find a book.", "inputSchema": {"type": "object", "properties": {"title": {"type": "string", "description": "Its title."}}}}]`)
	a.run("import", "tools.json", "--server", "library")
	a.run("--approve", "set:library", "--unseen")
	address, token := a.served()
	b.write("tools.json", guardedTools)
	if errs, code := b.process(b.dir, "follow", address, "--unsigned", "--yes"); code != 1 || !strings.Contains(errs, "the request has no token") {
		t.Errorf("without a token: %d %s", code, errs)
	}
	b.run("follow", address, "--unsigned", "--yes", "--token", token)
	config := filepath.Join(b.dir, ".config", "toolcrib", "toolcrib.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(text, "every = \"24h\"\ncalls = \"send\"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	cl := b.guarded("library")
	if got := cl.tools(); got != "find_book: Find a book." {
		t.Errorf("the client is listed %q", got)
	}
	if _, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_book", Arguments: map[string]any{"title": "x"}}); err != nil {
		t.Error(err)
	}
	// The guard reports the other tool of its server, which becomes a proposal.
	if out := a.waits("tool:user/library_lend_book", "list"); strings.Count(out, "find_book") != 1 {
		t.Errorf("the approved tool was reported, too: %s", out)
	}
	a.waits("1 machine reported the text of revision 1. The reports are not verified.", "show", "2")
	if sent, err := filepath.Glob(filepath.Join(b.dir, ".local/share/toolcrib/reports/*/*.json")); err != nil || len(sent) != 1 {
		t.Errorf("the reports are not in a folder of their source: %q %v", sent, err)
	}
	a.run("--approve", "set:reported_library", "--unseen")
	cl.told()
	if got := cl.tools(); got != "find_book: Find a book., lend_book: Lend a book." {
		t.Errorf("after the second approval the client is listed %q", got)
	}
	// The log of calls is sent when the machine has looked for changes.
	for late := time.Now().Add(longest); ; time.Sleep(20 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(a.dir, ".local/share/toolcrib/received/*/*/*.ndjson"))
		if err != nil || time.Now().After(late) {
			t.Fatalf("no calls were sent: %v %s", err, cl.errs)
		}
		if len(files) == 1 {
			if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), `"name":"find_book"`) {
				t.Errorf("%s has %s, %v", files[0], text, err)
			}
			break
		}
	}
	// A check reports a skill that nobody approved, once.
	b.write(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\nRead the file.\n")
	for range 2 {
		if code, out := b.exits("check", "--files"); code != 6 || !strings.Contains(out, "K202") {
			t.Errorf("a skill that nobody approved: %d %s", code, out)
		}
	}
	if out := a.run("list"); strings.Count(out, "skill:user/pdf") != 1 {
		t.Errorf("the skill is not proposed once: %s", out)
	}
	if out := a.run("show", "skill:user/pdf"); !strings.Contains(out, "1 machine reported the text of revision 1") {
		t.Errorf("the proposal does not count the machine: %s", out)
	}
}

// TestMCPFollows serves an agent's tools over MCP on a machine without a database. The server must find and read tools
// approved on another machine, must not offer proposals, and must reject requests that need a database.
func TestMCPFollows(t *testing.T) {
	shortrun.OneGoroutine(t)
	a, b := newTestDB(t), testDB{t, t.TempDir()}
	public := filepath.Join(a.dir, "public")
	a.run("list")
	a.run("publish", public)
	b.run("follow", public, "--unsigned", "--yes")
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: b.command(b.dir, "mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // the process ends with it
	listed, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "describe_tool execute_tool search_tools" {
		t.Errorf("the client is listed %s", got)
	}
	found, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "describe_tool", Arguments: map[string]any{"name": "create_tasks"}})
	if err != nil || found.IsError {
		t.Errorf("an approved tool is not found: %+v, %v", found, err)
	}
	version, err := client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "toolcrib://version/tool/global/create_tasks/1"})
	if err != nil || !strings.Contains(version.Contents[0].Text, `"decided_by"`) {
		t.Errorf("its version cannot be read: %+v, %v", version, err)
	}
	prompt, err := client.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "agent-prompt"})
	if err != nil || len(prompt.Messages) == 0 {
		t.Errorf("the prompt of the agent: %+v, %v", prompt, err)
	}
	for _, args := range [][]string{{"serve"}, {"tools"}, {"import", "tools.json"}, {"propose", "x.json"}} {
		b.write("tools.json", guardedTools)
		b.write("x.json", "{}")
		if errs, code := b.process(b.dir, args...); code == 0 || args[0] != "propose" && !strings.Contains(errs, "this machine follows "+public) {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "test.db")); err == nil {
		t.Error("there is a database")
	}
}

// TestStatusNamesAnotherCopy lists an entry with an environment that makes its guard read another copy of the followed
// registry than the user's, which may have been written by somebody else.
func TestStatusNamesAnotherCopy(t *testing.T) {
	shortrun.OneGoroutine(t)
	r := newRepository(t)
	public := filepath.Join(r.dir, "public")
	r.in(0, "publish", public)
	r.in(0, "follow", public, "--unsigned", "--yes")
	elsewhere := t.TempDir()
	r.write("repo/.mcp.json", guardEntry("toolcrib", guardFar, `"XDG_DATA_HOME":"`+elsewhere+`"`))
	if e, _ := r.status(6, "claude-code"); e.State == "guarded" || !strings.Contains(e.Reason, "stores its copy of the followed registry in "+elsewhere) {
		t.Errorf("%+v", e)
	}
	r.write("repo/.mcp.json", guardEntry("toolcrib", guardFar, ""))
	if e, _ := r.status(0, "claude-code"); e.State != "guarded" {
		t.Errorf("without the variable: %+v", e)
	}
}

// TestOwnApprovals adds the approvals of a follower's own database to those of the registry, which stay as they are, and
// has its user answer calls.
func TestOwnApprovals(t *testing.T) {
	shortrun.OneGoroutine(t)
	a, b := newTestDB(t), newTestDB(t)
	public := filepath.Join(a.dir, "public")
	a.write("tools.json", `[{"name": "find_book", "description": "Find a book.", "inputSchema": {"type": "object", "properties": {"title": {"type": "string", "description": "Its title."}}}}]`)
	a.run("import", "tools.json", "--server", "library")
	a.run("--approve", "set:library", "--unseen")
	a.run("publish", public)
	b.write("tools.json", guardedTools)
	b.run("import", "tools.json", "--server", "library")
	b.run("--approve", "set:library", "--unseen")
	b.run("follow", public, "--unsigned", "--yes")
	cl := b.guarded("library")
	if got := cl.tools(); got != "find_book: Find a book." {
		t.Errorf("without the setting, the client is listed %q", got)
	}
	config := filepath.Join(b.dir, ".config", "toolcrib", "toolcrib.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(text, "local = \"allow\"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	b.write("tools.json", strings.Replace(guardedTools, "[", `[{"name": "sell_book", "description": "Sell a book.", "inputSchema": {"type": "object"}},`, 1))
	cl = b.guarded("library")
	if got := cl.tools(); got != "find_book: Find a book., lend_book: Lend a book." {
		t.Errorf("the client is listed %q", got)
	}
	b.waits("library_sell_book", "list")
	b.run("--approve", "tool:user/library_sell_book", "--unseen")
	cl.told()
	if got := cl.tools(); got != "sell_book: Sell a book., find_book: Find a book., lend_book: Lend a book." {
		t.Errorf("after the approval the client is listed %q", got)
	}
	if out := b.run("follow", "--status"); !strings.Contains(out, "approvals in the database of this machine also apply") {
		t.Errorf("follow --status prints %s", out)
	}
	// Calls wait for the user of this machine.
	b.run("calls", "policy", "find_book", "requires_approval")
	got := cl.refusedCall("find_book")
	id := regexp.MustCompile("calls show ([0-9a-f-]+)").FindStringSubmatch(got)
	if id == nil {
		t.Fatalf("the call is refused with %q", got)
	}
	b.run("calls", "approve", id[1])
	if _, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_book", Arguments: map[string]any{}}); err != nil {
		t.Errorf("the approved call: %v", err)
	}
}

// TestFollowedCallsBesideOwnApprovals calls followed tools on a machine whose own database has other tools, with one that
// would hide a tool of the registry.
func TestFollowedCallsBesideOwnApprovals(t *testing.T) {
	shortrun.OneGoroutine(t)
	a, b := newTestDB(t), newTestDB(t)
	public := filepath.Join(a.dir, "public")
	a.write("tools.json", guardedTools)
	a.run("import", "tools.json", "--server", "library")
	a.run("--approve", "set:library", "--unseen")
	a.run("publish", public)
	b.write("own.json", `[{"name": "find-book", "description": "Find another book.", "inputSchema": {"type": "object"}}]`)
	b.run("--project", "desk", "import", "own.json", "--server", "library")
	b.run("--approve", "set:library", "--unseen")
	b.run("follow", public, "--unsigned", "--yes")
	config := filepath.Join(b.dir, ".config", "toolcrib", "toolcrib.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(text, "local = \"allow\"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	b.write("tools.json", guardedTools)
	cl := b.guarded("library", "--project", "desk")
	if got := cl.tools(); got != "find_book: Find a book., lend_book: Lend a book." {
		t.Errorf("the client is listed %q", got)
	}
	if _, err := cl.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_book", Arguments: map[string]any{}}); err != nil {
		t.Error(err)
	}
	if out := b.waits("find_book", "calls", "log"); !strings.Contains(out, "tool:user/library_find_book") {
		t.Errorf("calls log prints %s", out)
	}
	journal := follow.Journal{Dir: filepath.Join(b.dir, ".local", "share", "toolcrib", "calls")}
	if lines, _, err := journal.Verify(); err != nil || lines == 0 {
		t.Errorf("the log of calls has %d lines, %v", lines, err)
	}
}
