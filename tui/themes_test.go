package tui_test

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"toolcrib/internal/shortrun"
	"toolcrib/tui"
)

// TestThemes draws every screen at the smallest and the largest size in every theme. The text is the same in all
// themes, so that color is never the only sign, and only styles of the theme occur.
func TestThemes(t *testing.T) {
	shortrun.OneGoroutine(t)
	own := ownStyles()
	for i, size := range [][2]int{{60, 15}, {300, 100}} {
		for j, s := range screens {
			if (i+j)%shortrun.Every(4) != 0 {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				b := newSharedWorkbench(t, "screens", size[0], size[1], demo(demoFiles...), assessed)
				b.config.Theme = "" // follows the terminal
				b.env["COLORFGBG"] = "15;0"
				b.m = tui.New(b.config)
				b.m.Prime(size[0], size[1])
				b.drain(b.m.Init())
				b.press(s.keys...)
				want := b.screen()
				for _, msg := range []tea.Msg{
					tea.BackgroundColorMsg{Color: color.White},
					tea.ColorProfileMsg{Profile: colorprofile.ANSI},
					tea.BackgroundColorMsg{Color: color.Black},
					tea.ColorProfileMsg{Profile: colorprofile.ASCII},
				} {
					b.send(msg)
					content := b.m.View().Content
					checkWidth(t, content, size[0], size[1])
					checkSafe(t, content, own, size[0], size[1])
					if got := b.screen(); got != want {
						t.Fatalf("after %v the screen has another text:\n%s\nbefore:\n%s", msg, got, want)
					}
				}
			})
		}
	}
}
