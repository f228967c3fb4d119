package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolcrib/store/storetest"
)

// draft is a proposal of a prompt tool as one line of JSON; with a base, one
// to modify it.
func draft(id, text string, base int) string {
	kind := "new"
	if base > 0 {
		kind = "modify"
	}
	b, err := json.Marshal(map[string]any{
		"type": kind, "subject": "tool:user/" + id, "baseVersion": base,
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

// page is a text of about n bytes.
func page(n int) []string {
	var lines []string
	for i := 0; n > 0; i++ {
		line := fmt.Sprintf("Rule %d: read scene %d and name the lines that slow it down, with a reason for each.", i, i*7)
		lines = append(lines, line)
		n -= len(line) + 1
	}
	return lines
}

// edited changes one line in every.
func edited(lines []string, every int) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if i%every == every/2 {
			line = strings.Replace(line, "slow it down", "hold it up", 1)
		}
		out[i] = line
	}
	return out
}

// texts are the operations on long texts: the longest prompt that a tool may
// have, and files to lint.
func (b bench) texts(ctx context.Context) ([]operation, error) {
	c := crib{b: b, path: filepath.Join(b.dir, "texts.db")}
	var ops []operation
	for _, size := range []int{10_000, 31_000} {
		for _, edits := range amounts() {
			id := fmt.Sprintf("long_%d_%d", size/1000, edits.every)
			before := page(size)
			after := edited(before, edits.every)
			steps := []command{
				c.command("propose", "-").with(draft(id, strings.Join(before, "\n"), 0)),
				c.command("--approve", fmt.Sprintf("#%d", len(ops)*2+1)),
				c.command("propose", "-").with(draft(id, strings.Join(after, "\n"), 1)),
			}
			for _, step := range steps {
				if _, err := step.run(ctx); err != nil {
					return nil, err
				}
			}
			peers, err := b.differ(id, before, after)
			if err != nil {
				return nil, err
			}
			op := operation{name: "diff, " + edits.name, size: fmt.Sprintf("%d KB", size/1000), contenders: []contender{c.always("diff", fmt.Sprintf("#%d", len(ops)*2+2))}}
			op.contenders[0].shown = "toolcrib diff ID"
			for _, p := range peers {
				op.contenders = append(op.contenders, p.whole())
			}
			ops = append(ops, op)
		}
	}
	longer, err := b.longTexts()
	if err != nil {
		return nil, err
	}
	lint, err := b.lint(&c)
	return append(append(ops, longer...), lint), err
}

// lint runs the rules over a thousand proposals of a kilobyte each.
func (b bench) lint(c *crib) (operation, error) {
	const files = 1000
	var lines strings.Builder
	for i := range files {
		lines.WriteString(draft(fmt.Sprintf("pace_scene_%d", i), prompt(i), 0))
	}
	name := filepath.Join(b.dir, "lint.ndjson")
	op := operation{name: "lint 1,000 proposals", size: fmt.Sprintf("%.1f MB", float64(lines.Len())/1e6), contenders: []contender{{
		name: "toolcrib", shown: "toolcrib lint FILE", command: func(int) (command, error) {
			do := c.command("lint", name)
			do.exit = 6 // they are alike, and lint says so
			return do, nil
		},
	}}}
	return op, os.WriteFile(name, []byte(lines.String()), 0o600)
}

// millions are the operations on a database of a million.
func (b bench) millions(ctx context.Context) ([]operation, error) {
	c, err := b.crib(ctx, storetest.Crowd{Tools: 100_000, Waiting: 900_000})
	if err != nil {
		return nil, err
	}
	v, err := b.crib(ctx, storetest.Crowd{Tools: 1000, Waiting: 1000, Versions: 1_000_000})
	if err != nil {
		return nil, err
	}
	return []operation{
		{name: "list, a page of 50", size: "1,000,000", contenders: []contender{c.always("list", "--limit", "50")}},
		{name: "list, by a rare word", size: "1,000,000", contenders: []contender{c.always("list", "--filter", rare, "--limit", "50")}},
		{name: "list, by risk", size: "1,000,000", contenders: []contender{c.always("list", "--sort", "risk", "--limit", "50")}},
		{name: "verify versions", size: "1,000,000", runs: 3, contenders: append([]contender{v.always("verify")}, v.engine()...)},
	}, nil
}
