// This file stores the state of the workbench and restores it at the next start.

package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/tui/navigation"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
	"toolcrib/tui/unsent"
)

// savedState is the state that the workbench restores at its next start. It is stored in the folder of the
// database's unsent drafts, because it must not be applied to another database.
type savedState struct {
	Page  string                      `json:"page,omitempty"`  // name of the current page in the bar
	Theme string                      `json:"theme,omitempty"` // theme that the user chose with a key; see themeFolder
	Pages map[string]screen.PageState `json:"pages,omitempty"` // the map keys are names in the bar
}

// stateFile is the name of the file that stores the state. The drafts page ignores it, because it begins with a
// dot.
const stateFile = ".screen.json"

// maxState is the maximum size of the state file, in bytes.
const maxState = 64 << 10

// readState reads the state from the folder of unsent drafts. It returns an empty state on any error.
func readState(folder string) (left savedState) {
	if folder == "" {
		return left
	}
	file := filepath.Join(folder, stateFile)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxState {
		return left
	}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &left) != nil {
		return savedState{}
	}
	return left
}

// themeFolder returns the folder that stores the user's theme, given the folder of drafts. It is the parent of
// that folder, because all databases share the theme.
func themeFolder(drafts string) string {
	if drafts == "" {
		return ""
	}
	return filepath.Dir(drafts)
}

// choice returns the theme that the user chose with a key or, if there is none, the configured theme.
func (left savedState) choice(cfg Config) theme.Choice {
	c := theme.Choice{Name: cfg.Theme, Dark: cfg.Theme != theme.NameLight && !lightBackground(cfg.Getenv), Plain: cfg.Plain}
	if slices.Contains(c.Names(), left.Theme) {
		c.Name, c.Picked = left.Theme, true
	}
	return c
}

// lightBackground reports whether the environment variable COLORFGBG describes a light background. Terminals
// such as rxvt and Konsole set it to the numbers of the text color and the background color, for example
// "0;15". The workbench uses the result until the terminal reports its background color, because some terminals
// never do.
func lightBackground(getenv func(string) string) bool {
	if getenv == nil {
		return false
	}
	_, background, _ := strings.Cut(getenv("COLORFGBG"), ";")
	if i := strings.LastIndexByte(background, ';'); i >= 0 {
		background = background[i+1:]
	}
	return background == "7" || background == "15"
}

// saveState stores the name of the current page, and the state of each page, in folder. It ignores errors,
// because the state is only a convenience.
func saveState(folder string, pages *navigation.Pages) {
	left := savedState{Pages: map[string]screen.PageState{}}
	for _, r := range pages.Named() {
		if r.Page == pages.TrailRoot() {
			left.Page = string(r.Name)
		}
		if p, ok := r.Page.(screen.Stateful); ok {
			left.Pages[string(r.Name)] = p.State()
		}
	}
	left.write(folder)
}

func (left savedState) write(folder string) {
	if text, err := json.Marshal(left); err == nil && folder != "" {
		_ = unsent.Write(filepath.Join(folder, stateFile), text)
	}
}
