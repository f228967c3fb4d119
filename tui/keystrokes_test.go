package tui_test

import (
	"slices"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestKeystrokes does common jobs on a screen of 140 columns, and counts the keys that
// each takes; what is typed, between quotes, does not count (T22).
func TestKeystrokes(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, job := range []struct {
		name string
		keys []string
		most int
		done []string
	}{
		{"open what waits next", []string{"."}, 1, []string{"#1", "▎Diff"}},
		{"find by name", []string{"/", `"name_bank`, "enter", "enter"}, 3, []string{"new tool:user/name_bank"}},
		{"find by number", []string{"/", `"#8`, "enter"}, 2, []string{"new tool:user/name_bank"}},
		{"read the diff", []string{"enter"}, 1, []string{"▎Diff", "◆ approval.tier  modified"}},
		{"approve, clean", []string{"enter", "a", "y"}, 3, []string{"Live: tool:global/delete_tasks"}},
		{"send back", []string{"c", `"Shorter.`, "ctrl+s", "y"}, 3, []string{"Sent back"}},
		{"waive", []string{"j", "j", "enter", "h", "W", `"It was meant.`, "ctrl+s", "y"}, 7, []string{"□ waived"}},
		{"comment on a line", []string{"enter", ";", "enter", `"Why?`, "ctrl+s", "y"}, 5, []string{"» mara: Why?"}},
		{"each channel's prompt", []string{"j", "j", "enter", "4", "]", "]", "]", "]"}, 8, []string{"▎Prompt 5", "tokens o200k"}},
		{"reject three", []string{"space", "space", "space", "x", `"No.`, "ctrl+s", "3", "y"}, 7, []string{"Rejected"}},
	} {
		t.Run(job.name, func(t *testing.T) {
			b := newSharedBench(t, "screens", 140, 80, demo(demoFiles...), assessed)
			typed := slices.DeleteFunc(slices.Clone(job.keys), func(k string) bool { return k[0] == '"' })
			for _, k := range job.keys {
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
		})
	}
}
