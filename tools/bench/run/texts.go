package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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

// lint runs the rules over a thousand proposals of a kilobyte each.
func (b bench) lint() (operation, error) {
	c := benchDB{b: b, path: filepath.Join(b.dir, "lint.db")}
	const files = 1000
	var lines strings.Builder
	for i := range files {
		lines.WriteString(draft(fmt.Sprintf("pace_scene_%d", i), prompt(i)))
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
