package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// peers are the programs that toolcrib is measured beside, with their data.
type peers struct {
	dir string
}

// has reports whether a program is installed, and says so where it is not.
func has(program string) bool {
	_, err := exec.LookPath(program)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is not installed and left out\n", program)
	}
	return err == nil
}

// Words of which one stands in a title in a thousand.
const rare = "zeppelin"

func title(n int) string {
	if n%1000 == 0 {
		return fmt.Sprintf("Scene pacer number %d %s", n, rare)
	}
	return fmt.Sprintf("Scene pacer number %d", n)
}

// prompt is the text of a tool, of about a kilobyte.
func prompt(n int) string {
	return strings.Repeat(fmt.Sprintf("Read scene %d and name the lines that slow it down, with a reason for each.\n", n), 13)
}

// git returns a repository with n commits, each of which changes one of a
// thousand prompts.
func (p peers) git(ctx context.Context, n int) (string, error) {
	dir := filepath.Join(p.dir, fmt.Sprintf("git-%d", n))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := shell(ctx, p.dir, "", "git", "init", "-q", "-b", "main", dir); err != nil {
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

// durable are the statements of a transaction that does to a plain database
// what an approval does: six rows written, two moved, synced when it returns.
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

// sqlite returns a plain database for durable.
func (p peers) sqlite(ctx context.Context) (string, error) {
	path := filepath.Join(p.dir, "plain.db")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var b strings.Builder
	b.WriteString("PRAGMA journal_mode=WAL;")
	for _, table := range []string{"versions", "decisions", "events", "live", "names", "debts", "proposals", "issues"} {
		fmt.Fprintf(&b, "CREATE TABLE %s (id INTEGER PRIMARY KEY, body TEXT);INSERT INTO %[1]s (body) VALUES ('');", table)
	}
	return path, shell(ctx, p.dir, b.String(), "sqlite3", path)
}

// shell runs a command that must succeed.
func shell(ctx context.Context, dir, stdin string, argv ...string) error {
	_, err := command{argv: argv, dir: dir, stdin: stdin, env: []string{"HOME=" + dir}}.run(ctx)
	return err
}
