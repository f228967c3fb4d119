package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestKeystrokes performs common tasks on a screen of 140 columns and counts the keys of each. Typed text, in quotes,
// does not count (T22).
func TestKeystrokes(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	type job struct {
		name     string
		keys     []string
		most     int
		best     string // keys in the best of lazygit, tig, gh-dash, and jjui, and why it needs fewer
		done     []string
		versions bool // use a database with three versions of the name bank
	}
	var table []string
	for _, job := range []job{
		{name: "open what waits next", keys: []string{"."}, most: 1, best: "1 (gh-dash)", done: []string{"#1", "▎Diff"}},
		{name: "find by name", keys: []string{"/", `"name_bank`, "enter", "enter"}, most: 3, best: "3 (lazygit)", done: []string{"new tool:user/name_bank"}},
		{name: "find by number", keys: []string{"/", `"#8`, "enter"}, most: 2, best: "2 (gh-dash)", done: []string{"new tool:user/name_bank"}},
		{name: "read the diff", keys: []string{"enter"}, most: 1, best: "1 (gh-dash); lazygit shows it beside the list", done: []string{"▎Diff", "◆ approval.tier  modified"}},
		{name: "approve, clean", keys: []string{"a", "y"}, most: 2, best: "2 (gh-dash), without reading", done: []string{"Live: tool:global/delete_tasks"}},
		{name: "send back", keys: []string{"c", `"Shorter.`, "ctrl+s", "y"}, most: 3, best: "2 (gh-dash), without y", done: []string{"Sent back"}},
		{name: "waive", keys: []string{"j", "j", "enter", "h", "W", `"It was meant.`, "ctrl+s", "y"}, most: 7, best: "-", done: []string{"□ waived"}},
		{name: "comment on a line", keys: []string{"enter", ";", "enter", `"Why?`, "ctrl+s", "y"}, most: 5, best: "-", done: []string{"» mara: Why?"}},
		{name: "each channel's prompt", keys: []string{"j", "j", "enter", "4"}, most: 4, best: "-", done: []string{"▎Prompt 5", "tokens o200k"}},
		{name: "reject three", keys: []string{"v", "j", "j", "x", `"No.`, "ctrl+s", "y"}, most: 6, best: "5 (lazygit v j j, act, enter), without reason and count", done: []string{"Rejected"}},
		{name: "roll back to live", keys: []string{"T", "/", `"name_bank`, "enter", "U", `"It was better.`, "ctrl+s", "y", "a", "y"}, most: 8, best: "3 (tig, jjui), from an open history and without reason", done: []string{"Live: tool:user/name_bank version 4"}, versions: true},
		{name: "undo a reject", keys: []string{"x", `"No.`, "ctrl+s", "y", "U", "y"}, most: 5, best: "1 (lazygit z), without a question", done: []string{"with the content of #"}},
		{name: "blame a line", keys: []string{"enter", "B"}, most: 2, best: "1 (tig)", done: []string{"▎Blame", "as of v1"}},
	} {
		t.Run(job.name, func(t *testing.T) {
			fill, name := []func(*workbench){demo(demoFiles...), assessed}, "screens"
			if job.versions {
				fill, name = []func(*workbench){threeVersions}, "versions"
			}
			b := newSharedWorkbench(t, name, 140, 80, fill...)
			typed := slices.DeleteFunc(slices.Clone(job.keys), func(k string) bool { return k[0] == '"' })
			for _, k := range job.keys {
				b.screen() // a terminal draws a frame after every key
				if k[0] == '"' {
					b.write(k[1:])
				} else {
					b.press(k)
				}
			}
			if len(typed) > job.most {
				t.Errorf("%d keys, at most %d", len(typed), job.most)
			}
			b.wants(job.done...)
			table = append(table, fmt.Sprintf("| %s | `%s` | %d | %s |", job.name, strings.Join(job.keys, " "), len(typed), job.best))
		})
	}
	t.Log("keys per job, typed text behind a quotation mark\n| job | keys | count | best of the others |\n|---|---|---|---|\n" + strings.Join(table, "\n"))
}
