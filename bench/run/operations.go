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

// operations prepares everything that is timed. Sizes that no peer can be
// brought to in reasonable time are measured beside a smaller peer, which the
// table names with its size.
func (b bench) operations(ctx context.Context) ([]operation, error) {
	p := peers{dir: b.dir}
	none := crib{b: b, path: filepath.Join(b.dir, "none.db")}
	ops := []operation{b.help(&none)}
	for _, n := range b.sizes {
		c, err := b.crib(ctx, storetest.Crowd{Tools: n, Waiting: max(n*waitingShare/10, 2*b.runs)})
		if err != nil {
			return nil, fmt.Errorf("a database of %d: %w", n, err)
		}
		more, err := b.sized(ctx, &c, p, n)
		if err != nil {
			return nil, err
		}
		ops = append(ops, more...)
	}
	more, err := b.texts(ctx)
	if err != nil {
		return nil, err
	}
	ops = append(ops, more...)
	if b.million {
		more, err := b.millions(ctx)
		if err != nil {
			return nil, err
		}
		ops = append(ops, more...)
	}
	return ops, nil
}

func (b bench) help(c *crib) operation {
	op := operation{name: "start, to help", contenders: []contender{c.always("--help")}}
	for _, program := range []string{"git", "sqlite3", "task", "fossil"} {
		argv := []string{program, "--version"}
		if program == "fossil" {
			argv[1] = "version"
		}
		if has(program) {
			op.contenders = append(op.contenders, contender{name: program, shown: strings.Join(argv, " "), command: func(int) (command, error) {
				return command{argv: argv, dir: b.dir, env: []string{"HOME=" + b.dir}}, nil
			}})
		}
	}
	return op
}

// most is how many tasks taskwarrior is given.
const most = 10_000

// sized is what is done on a database of n tools.
func (b bench) sized(ctx context.Context, c *crib, p peers, n int) ([]operation, error) {
	size := strconv.Itoa(n)
	list := operation{name: "list, a page of 50", size: size, contenders: []contender{c.always("list", "--limit", "50")}}
	filter := operation{name: "list, by a rare word", size: size, contenders: []contender{c.always("list", "--filter", rare, "--limit", "50")}}
	common := operation{name: "list, by a common word", size: size, contenders: []contender{c.always("list", "--filter", "scene", "--limit", "50")}}
	show := operation{name: "show one", size: size, contenders: []contender{{name: "toolcrib", shown: "toolcrib show ID", command: func(i int) (command, error) {
		return c.command("show", c.waiting[i%len(c.waiting)]), nil
	}}}}
	propose := operation{name: "propose", size: size, contenders: []contender{{name: "toolcrib", shown: "toolcrib propose FILE", command: func(i int) (command, error) {
		return c.command("propose", "-").with(draft(fmt.Sprintf("fresh_%d_%d", n, i), prompt(i), 0)), nil
	}}}}
	approve := operation{name: "approve", size: size, contenders: []contender{{name: "toolcrib", shown: "toolcrib --approve ID", command: func(int) (command, error) {
		return c.approve(1)
	}}}}
	preview := operation{name: "preview, five channels", size: size, contenders: []contender{c.always("preview", "--agent", "assistant", "--channel", "all", "--json")}}
	tools := operation{name: "tools, the first 50", size: size, contenders: []contender{c.always("tools", "--limit", "50")}}
	verify := operation{name: "verify", size: size, runs: max(3, b.runs/3), contenders: []contender{c.always("verify")}}

	if has("git") {
		repo, err := p.git(ctx, n)
		if err != nil {
			return nil, err
		}
		git := func(args ...string) contender {
			return contender{name: "git", shown: "git " + strings.Join(args, " "), command: func(int) (command, error) {
				return command{argv: append([]string{"git"}, args...), dir: repo, env: []string{"HOME=" + b.dir, "GIT_PAGER=cat"}}, nil
			}}
		}
		list.contenders = append(list.contenders, git("log", "--oneline", "-50"))
		filter.contenders = append(filter.contenders, git("log", "--oneline", "--grep="+rare, "-50"), git("grep", "-n", "scene 9", "--", "prompts"))
		show.contenders = append(show.contenders, git("show", "HEAD~3"))
		commit := contender{name: "git", shown: "git commit -am …", command: func(i int) (command, error) {
			err := os.WriteFile(filepath.Join(repo, "prompts", "tool_1.md"), []byte(prompt(n+i)), 0o600)
			return command{argv: []string{"git", "commit", "-qam", title(n + i)}, dir: repo, env: []string{"HOME=" + b.dir}}, err
		}}
		propose.contenders = append(propose.contenders, commit)
		approve.contenders = append(approve.contenders, commit)
		verify.contenders = append(verify.contenders, git("fsck", "--full"))
	}
	if has("task") {
		tasks := min(n, most)
		env, err := p.task(ctx, tasks)
		if err != nil {
			return nil, err
		}
		name := "task"
		if tasks != n {
			name = fmt.Sprintf("task, %d", tasks)
		}
		task := func(args ...string) contender {
			return contender{name: name, shown: "task " + strings.Join(args, " "), command: func(int) (command, error) {
				return command{argv: append([]string{"task"}, args...), dir: b.dir, env: env}, nil
			}}
		}
		list.contenders = append(list.contenders, task("list", "limit:50"))
		filter.contenders = append(filter.contenders, task("description.has:"+rare, "list"))
		show.contenders = append(show.contenders, task("7", "info"))
		propose.contenders = append(propose.contenders, task("add", "Scene pacer"))
		approve.contenders = append(approve.contenders, contender{name: name, shown: "task N done", command: func(i int) (command, error) {
			return command{argv: []string{"task", strconv.Itoa(20 + i), "modify", "priority:H"}, dir: b.dir, env: env}, nil
		}})
	}
	if has("sqlite3") {
		plain, err := p.sqlite(ctx)
		if err != nil {
			return nil, err
		}
		approve.contenders = append(approve.contenders, contender{name: "sqlite3", shown: "sqlite3 (the same rows, FULL)", command: func(int) (command, error) {
			return command{argv: []string{"sqlite3", plain}, dir: b.dir, stdin: durable(1)}, nil
		}})
	}
	verify.contenders = append(verify.contenders, c.engine()...)
	ops := []operation{list, filter, common, show, tools, propose, approve, preview, verify}
	if n == b.sizes[0] && has("fossil") {
		dir, env, err := p.fossil(ctx)
		if err != nil {
			return nil, err
		}
		add := contender{name: "fossil", shown: "fossil ticket add title …", command: func(i int) (command, error) {
			return command{argv: []string{"fossil", "ticket", "add", "title", title(i), "status", "Open"}, dir: dir, env: env}, nil
		}}
		ops[5].contenders, ops[6].contenders = append(ops[5].contenders, add), append(ops[6].contenders, add)
	}
	frame, err := b.frame(ctx, c, p, n)
	if err != nil {
		return nil, err
	}
	ops = append(ops, frame)
	if bulk := b.bulk(c, n, p); n >= 10_000 {
		ops = append(ops, b.transactions(c, n), bulk)
	}
	return ops, nil
}

// bulk approves a thousand proposals in one call.
func (b bench) bulk(c *crib, n int, p peers) operation {
	const many = 1000
	runs := min(3, n*waitingShare/10/many-1)
	op := operation{name: "approve 1,000 in one call", size: strconv.Itoa(n), runs: runs, contenders: []contender{{
		name: "toolcrib", shown: "toolcrib --approve -", command: func(int) (command, error) { return c.approve(many) },
	}}}
	if has("sqlite3") {
		op.contenders = append(op.contenders, contender{name: "sqlite3", shown: "sqlite3 (the same rows, one transaction)", command: func(int) (command, error) {
			return command{argv: []string{"sqlite3", filepath.Join(p.dir, "plain.db")}, dir: b.dir, stdin: durable(many)}, nil
		}})
	}
	return op
}

// approve is the approval of n proposals that were not decided yet.
func (c *crib) approve(n int) (command, error) {
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
