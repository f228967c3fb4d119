package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"toolcrib/store/storetest"
)

// operations prepares everything that is timed.
func (b bench) operations(ctx context.Context) ([]operation, error) {
	p := peers{dir: b.dir}
	start := operation{name: "start, to help", contenders: []contender{(&benchDB{b: b, path: filepath.Join(b.dir, "none.db")}).always("--help")}}
	for _, program := range []string{"git", "sqlite3"} {
		if has(program) {
			start.contenders = append(start.contenders, contender{program, program + " --version", func(int) (command, error) {
				return command{argv: []string{program, "--version"}, dir: b.dir, env: []string{"HOME=" + b.dir}}, nil
			}})
		}
	}
	lint, err := b.lint()
	if err != nil {
		return nil, err
	}
	ops := []operation{start, lint}
	for _, n := range b.sizes {
		c, err := b.database(ctx, storetest.Crowd{Tools: n, Waiting: max(n*waitingShare/10, 2*b.runs)})
		if err != nil {
			return nil, fmt.Errorf("a database of %d: %w", n, err)
		}
		more := c.operations(n)
		if err := b.besideGit(ctx, more, p, n); err != nil {
			return nil, err
		}
		if err := b.besideSQLite(ctx, more, p, &c); err != nil {
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
func (c *benchDB) operations(n int) []operation {
	ops := []operation{
		list:   {name: "list 50", contenders: []contender{c.always("list", "--limit", "50")}},
		filter: {name: "list, rare word", contenders: []contender{c.always("list", "--filter", rare, "--limit", "50")}},
		show: {name: "show one", contenders: []contender{{"toolcrib", "toolcrib show ID", func(i int) (command, error) {
			return c.command("show", c.waiting[i%len(c.waiting)]), nil
		}}}},
		propose: {name: "propose", contenders: []contender{{"toolcrib", "toolcrib propose FILE", func(i int) (command, error) {
			return c.command("propose", "-").with(draft(fmt.Sprintf("fresh_%d_%d", n, i), prompt(i))), nil
		}}}},
		approve: {name: "approve", contenders: []contender{{"toolcrib", "toolcrib --approve ID", func(int) (command, error) { return c.approve(1) }}}},
		verify:  {name: "verify", runs: max(3, c.b.runs/3), contenders: []contender{c.always("verify")}},
		common:  {name: "list, common word", contenders: []contender{c.always("list", "--filter", "scene", "--limit", "50")}},
		tools:   {name: "tools, first 50", contenders: []contender{c.always("tools", "--limit", "50")}},
		preview: {name: "preview, five channels", contenders: []contender{c.always("preview", "--agent", "assistant", "--channel", "all", "--json")}},
		bulk: {name: "approve 1,000", runs: 3, contenders: []contender{{"toolcrib", "toolcrib --approve -", func(int) (command, error) {
			return c.approve(many)
		}}}},
	}
	for i := range ops {
		ops[i].size = strconv.Itoa(n)
	}
	return ops
}

// besideGit sets operations beside git on a repository of n commits.
func (b bench) besideGit(ctx context.Context, ops []operation, p peers, n int) error {
	if !has("git") {
		return nil
	}
	repo, err := p.git(ctx, n)
	if err != nil {
		return err
	}
	git := func(args ...string) contender {
		return contender{"git", "git " + strings.Join(args, " "), func(int) (command, error) {
			return command{argv: append([]string{"git"}, args...), dir: repo, env: []string{"HOME=" + b.dir, "GIT_PAGER=cat"}}, nil
		}}
	}
	commit := contender{"git", "git commit -am …", func(i int) (command, error) {
		err := os.WriteFile(filepath.Join(repo, "prompts", "tool_1.md"), []byte(prompt(n+i)), 0o600)
		return command{argv: []string{"git", "commit", "-qam", title(n + i)}, dir: repo, env: []string{"HOME=" + b.dir}}, err
	}}
	for op, peer := range map[int]contender{
		list: git("log", "--oneline", "-50"), filter: git("log", "--oneline", "--grep="+rare, "-50"), show: git("show", "HEAD~3"),
		propose: commit, approve: commit, verify: git("fsck", "--full"),
	} {
		ops[op].contenders = append(ops[op].contenders, peer)
	}
	return nil
}

// besideSQLite sets operations beside the shell of SQLite: it writes as many rows
// as an approval does, and checks the file that verify reads.
func (b bench) besideSQLite(ctx context.Context, ops []operation, p peers, c *benchDB) error {
	if !has("sqlite3") {
		return nil
	}
	plain, err := p.sqlite(ctx)
	if err != nil {
		return err
	}
	writes := func(rows int) contender {
		return contender{"sqlite3", "sqlite3 (as many rows, FULL)", func(int) (command, error) {
			return command{argv: []string{"sqlite3", plain}, dir: b.dir, stdin: durable(rows)}, nil
		}}
	}
	check := contender{"sqlite3", "sqlite3 … 'PRAGMA integrity_check'", func(int) (command, error) {
		return command{argv: []string{"sqlite3", c.path, "PRAGMA integrity_check"}, dir: b.dir}, nil
	}}
	for op, peer := range map[int]contender{approve: writes(1), bulk: writes(many), verify: check} {
		ops[op].contenders = append(ops[op].contenders, peer)
	}
	return nil
}

// approve is the approval of n proposals that were not decided yet.
func (c *benchDB) approve(n int) (command, error) {
	if len(c.waiting) < n {
		if err := c.wait(context.Background()); err != nil {
			return command{}, err
		}
		if len(c.waiting) < n {
			return command{}, fmt.Errorf("only %d proposals are left to approve", len(c.waiting))
		}
	}
	ids := c.waiting[len(c.waiting)-n:]
	c.waiting = c.waiting[:len(c.waiting)-n]
	return c.command("--approve", "-").with(strings.Join(ids, "\n")), nil
}
