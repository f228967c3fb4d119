package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/cli/process"
)

// BenchmarkLint1000 checks a thousand proposals of 1.7 KB in one file, as a hook or CI does: nearly equal ones, which
// are compared with the maximum number of others, and different ones.
func BenchmarkLint1000(b *testing.B) {
	for _, like := range []bool{true, false} {
		name := map[bool]string{true: "alike", false: "different"}[like]
		b.Run(name, func(b *testing.B) {
			var lines strings.Builder
			for i := range 1000 {
				lines.WriteString(proposalLine(b, i, like))
			}
			dir := b.TempDir()
			file := filepath.Join(dir, "lint.ndjson")
			if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(lines.Len()))
			for b.Loop() {
				Main(b.Context(), process.Env{
					Args: []string{"lint", file}, In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
					Getenv: func(string) string { return "" }, Dir: dir, Now: time.Now, NewID: func() string { return "" },
				})
			}
		})
	}
}

// proposalLine returns a proposal of a prompt tool with a prompt of 1 KB.
func proposalLine(b *testing.B, n int, like bool) string {
	b.Helper()
	prompt := strings.Repeat(fmt.Sprintf("Read scene %d and name the lines that slow it down, with a reason for each.\n", n), 13)
	goals := "Find what drags."
	if !like {
		var words strings.Builder
		for i := range 170 {
			fmt.Fprintf(&words, "w%d ", (n*7919+i*i*31)%5003)
		}
		prompt, goals = words.String(), fmt.Sprintf("Find what drags in thing%d and part%d.", n*3, n*5)
	}
	id := fmt.Sprintf("pace_scene_%d", n)
	line, err := json.Marshal(map[string]any{
		"type": "new", "subject": "tool:user/" + id, "baseVersion": 0,
		"definition": map[string]any{
			"id": id, "kind": "prompt", "name": "Tool " + id, "scope": "file", "usageNotes": "Use it on a scene.", "goals": goals,
			"guardrails": "Change nothing.", "prompt": prompt, "approval": map[string]any{"tier": "auto_approve"},
		},
		"rationale": "Needed every day.", "examples": []string{"Check the harbour scene", "Check chapter two"},
		"testCases": []map[string]any{
			{"name": "named", "input": "a scene", "expect": "pass", "output": "slow", "checks": []map[string]string{{"type": "contains", "value": "slow"}}},
			{"name": "not named", "input": "a scene", "expect": "fail", "output": "fine", "checks": []map[string]string{{"type": "contains", "value": "slow"}}},
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	return string(line) + "\n"
}
