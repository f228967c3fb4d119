package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// operations prepares all timed operations.
func (c *comparison) operations(ctx context.Context) ([]operation, error) {
	start := operation{name: "start, to help", contenders: []contender{c.always("--help")}}
	for _, program := range []string{"git", "sqlite3"} {
		if has(program) {
			start.contenders = append(start.contenders, contender{program, program + " --version", func(ctx context.Context, _ int) (*exec.Cmd, error) {
				return other(ctx, c.home, program, "--version"), nil
			}})
		}
	}
	lint, err := c.lint()
	if err != nil {
		return nil, err
	}
	ops := []operation{start, lint}
	for _, n := range c.sizes {
		db, err := c.database(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("a database of %d: %w", n, err)
		}
		more := db.operations(n)
		if err := errors.Join(besideGit(ctx, more, c.home, n), besideSQLite(ctx, more, db)); err != nil {
			return nil, err
		}
		if n < 10*many {
			more = more[:bulk] // not enough proposals wait
		}
		ops = append(ops, more...)
	}
	return ops, nil
}

// The operations on a database, in their order.
const (
	list = iota
	filter
	show
	propose
	approve
	verify
	common
	tools
	preview
	bulk
)

// many sets how many proposals are approved in one call.
const many = 1000

// operations returns the operations on a database of n tools.
func (m *measured) operations(n int) []operation {
	ops := []operation{
		list:   {name: "list 50", contenders: []contender{m.always("list", "--limit", "50")}},
		filter: {name: "list, rare word", contenders: []contender{m.always("list", "--filter", rare, "--limit", "50")}},
		show: {name: "show one", contenders: []contender{{"toolcrib", "toolcrib show ID", func(ctx context.Context, i int) (*exec.Cmd, error) {
			return m.command(ctx, "show", m.left[i%len(m.left)]), nil
		}}}},
		propose: {name: "propose", contenders: []contender{{"toolcrib", "toolcrib propose FILE", func(ctx context.Context, i int) (*exec.Cmd, error) {
			return reading(m.command(ctx, "propose", "-"), draft(fmt.Sprintf("fresh_%d_%d", n, i), prompt(i))), nil
		}}}},
		approve: {name: "approve", contenders: []contender{{"toolcrib", "toolcrib --approve ID", func(ctx context.Context, _ int) (*exec.Cmd, error) { return m.approve(ctx, 1) }}}},
		verify:  {name: "verify", runs: max(3, m.runs/3), contenders: []contender{m.always("verify")}},
		common:  {name: "list, common word", contenders: []contender{m.always("list", "--filter", "scene", "--limit", "50")}},
		tools:   {name: "tools, first 50", contenders: []contender{m.always("tools", "--limit", "50")}},
		preview: {name: "preview, five channels", contenders: []contender{m.always("preview", "--agent", "assistant", "--channel", "all", "--json")}},
		bulk: {name: "approve 1,000", runs: 3, contenders: []contender{{"toolcrib", "toolcrib --approve -", func(ctx context.Context, _ int) (*exec.Cmd, error) {
			return m.approve(ctx, many)
		}}}},
	}
	for i := range ops {
		ops[i].size = strconv.Itoa(n)
	}
	return ops
}

// besideGit compares operations with git on a repository of n commits.
func besideGit(ctx context.Context, ops []operation, home string, n int) error {
	if !has("git") {
		return nil
	}
	repo, err := gitRepository(ctx, home, n)
	if err != nil {
		return err
	}
	git := func(args ...string) contender {
		return contender{"git", "git " + strings.Join(args, " "), func(ctx context.Context, _ int) (*exec.Cmd, error) {
			return other(ctx, repo, append([]string{"git"}, args...)...), nil
		}}
	}
	commit := contender{"git", "git commit -am …", func(ctx context.Context, i int) (*exec.Cmd, error) {
		err := os.WriteFile(filepath.Join(repo, "prompts", "tool_1.md"), []byte(prompt(n+i)), 0o600)
		return other(ctx, repo, "git", "commit", "-qam", title(n+i)), err
	}}
	for op, peer := range map[int]contender{
		list: git("log", "--oneline", "-50"), filter: git("log", "--oneline", "--grep="+rare, "-50"), show: git("show", "HEAD~3"),
		propose: commit, approve: commit, verify: git("fsck", "--full"),
	} {
		ops[op].contenders = append(ops[op].contenders, peer)
	}
	return nil
}

// besideSQLite compares operations with the shell of SQLite: writing as many rows as an approval, and checking the file
// that verify reads.
func besideSQLite(ctx context.Context, ops []operation, m *measured) error {
	if !has("sqlite3") {
		return nil
	}
	plain, err := plainSQLite(ctx, m.home)
	if err != nil {
		return err
	}
	writes := func(rows int) contender {
		return contender{"sqlite3", "sqlite3 (as many rows, FULL)", func(ctx context.Context, _ int) (*exec.Cmd, error) {
			return reading(other(ctx, m.home, "sqlite3", plain), durable(rows)), nil
		}}
	}
	check := contender{"sqlite3", "sqlite3 … 'PRAGMA integrity_check'", func(ctx context.Context, _ int) (*exec.Cmd, error) {
		return other(ctx, m.home, "sqlite3", m.database, "PRAGMA integrity_check"), nil
	}}
	for op, peer := range map[int]contender{approve: writes(1), bulk: writes(many), verify: check} {
		ops[op].contenders = append(ops[op].contenders, peer)
	}
	return nil
}

// approve is the approval of n proposals that were not decided yet.
func (m *measured) approve(ctx context.Context, n int) (_ *exec.Cmd, err error) {
	if len(m.left) < n {
		if m.left, err = m.waiting(ctx); err != nil {
			return nil, err
		}
		if len(m.left) < n {
			return nil, fmt.Errorf("only %d proposals are left to approve", len(m.left))
		}
	}
	ids := m.left[len(m.left)-n:]
	m.left = m.left[:len(m.left)-n]
	return reading(m.command(ctx, "--approve", "-", "--unseen"), strings.Join(ids, "\n")), nil
}

// lint runs the rules over a thousand proposals of a kilobyte each.
func (c *comparison) lint() (operation, error) {
	const files = 1000
	var lines strings.Builder
	for i := range files {
		lines.WriteString(draft(fmt.Sprintf("pace_scene_%d", i), prompt(i)))
	}
	name := filepath.Join(c.home, "lint.ndjson")
	by := c.always("lint", name)
	by.shown = "toolcrib lint FILE"
	const alike = 6 // exit code of lint if proposals are alike
	op := operation{name: "lint 1,000 proposals", size: fmt.Sprintf("%.1f MB", float64(lines.Len())/1e6), exit: alike, contenders: []contender{by}}
	return op, os.WriteFile(name, []byte(lines.String()), 0o600)
}

// has reports whether a program is installed, and prints a message if it is not.
func has(program string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is not installed and left out\n", program)
	}
	return err == nil
}

// rare is a word that occurs in one of a thousand titles.
const rare = "zeppelin"

func title(n int) string {
	if n%1000 == 0 {
		return fmt.Sprintf("Scene pacer number %d %s", n, rare)
	}
	return fmt.Sprintf("Scene pacer number %d", n)
}

// prompt returns the text of a tool, about a kilobyte long.
func prompt(n int) string {
	return strings.Repeat(fmt.Sprintf("Read scene %d and name the lines that slow it down, with a reason for each.\n", n), 13)
}

// gitRepository returns a repository with n commits, each of which changes one of a
// thousand prompts.
func gitRepository(ctx context.Context, home string, n int) (string, error) {
	dir := filepath.Join(home, fmt.Sprintf("git-%d", n))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := shell(ctx, home, "", "git", "init", "-q", "-b", "main", dir); err != nil {
		return "", err
	}
	var in strings.Builder
	for i := range n {
		at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Unix()
		message, text := title(i), prompt(i)
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ada <ada@example.com> %d +0000\ndata %d\n%s\nM 644 inline prompts/tool_%d.md\ndata %d\n%s\n",
			at, len(message), message, i%1000, len(text), text)
	}
	if err := shell(ctx, dir, in.String(), "git", "fast-import", "--quiet"); err != nil {
		return "", err
	}
	return dir, shell(ctx, dir, "", "sh", "-c", "git reset -q --hard && git config user.name Ada && git config user.email ada@example.com && git gc -q")
}

// durable returns the statements of a transaction that writes as much to a plain database as an approval: six rows
// inserted, two updated, and synced.
func durable(rows int) string {
	var b strings.Builder
	b.WriteString("PRAGMA synchronous=FULL; BEGIN IMMEDIATE;")
	for n := range rows {
		text := strings.ReplaceAll(prompt(n), "\n", " ")
		for _, table := range []string{"versions", "decisions", "events"} {
			fmt.Fprintf(&b, "INSERT INTO %s (body) VALUES ('%s');", table, text)
		}
		fmt.Fprintf(&b, "INSERT INTO live (body) VALUES ('tool_%d');INSERT INTO names (body) VALUES ('tool_%[1]d');INSERT INTO debts (body) VALUES ('tool_%[1]d');", n)
		b.WriteString("UPDATE proposals SET body = 'approved' WHERE id = 1;UPDATE issues SET body = 'closed' WHERE id = 1;")
	}
	b.WriteString("COMMIT;")
	return b.String()
}

// plainSQLite returns a plain database for durable.
func plainSQLite(ctx context.Context, home string) (string, error) {
	path := filepath.Join(home, "plain.db")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var b strings.Builder
	b.WriteString("PRAGMA journal_mode=WAL;")
	for _, table := range []string{"versions", "decisions", "events", "live", "names", "debts", "proposals", "issues"} {
		fmt.Fprintf(&b, "CREATE TABLE %s (id INTEGER PRIMARY KEY, body TEXT);INSERT INTO %[1]s (body) VALUES ('');", table)
	}
	return path, shell(ctx, home, b.String(), "sqlite3", path)
}

// other is a command of a peer.
func other(ctx context.Context, dir string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "HOME=" + filepath.Dir(dir), "GIT_PAGER=cat"}
	return cmd
}

// shell runs a command of a peer that must succeed.
func shell(ctx context.Context, dir, stdin string, argv ...string) error {
	_, err := output(reading(other(ctx, dir, argv...), stdin))
	return err
}

// draft is a proposal of a new prompt tool as one line of JSON.
func draft(id, text string) string {
	b, err := json.Marshal(map[string]any{
		"type": "new", "subject": "tool:user/" + id,
		"definition": map[string]any{
			"id": id, "kind": "prompt", "name": "Tool " + id, "scope": "file", "usageNotes": "Use it on a scene.", "goals": "Find what drags.",
			"guardrails": "Change nothing.", "prompt": text, "approval": map[string]any{"tier": "auto_approve"},
		},
		"rationale": "Needed every day.", "examples": []string{"Check the harbour scene", "Check chapter two"},
		"testCases": []map[string]any{
			{"name": "named", "input": "a scene", "expect": "pass", "output": "slow", "checks": []map[string]string{{"type": "contains", "value": "slow"}}},
			{"name": "not named", "input": "a scene", "expect": "fail", "output": "fine", "checks": []map[string]string{{"type": "contains", "value": "slow"}}},
		},
	})
	if err != nil {
		panic(err) // maps of strings do
	}
	return string(b) + "\n"
}
