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

// memory is the state that the workbench restores at its next start. It is stored with the unsent drafts of a
// database, so that it never applies to another database.
type memory struct {
	Page  string                 `json:"page,omitempty"`  // by its name in the bar
	Theme string                 `json:"theme,omitempty"` // picked with the theme key; see themeFolder
	Pages map[string]screen.Left `json:"pages,omitempty"` // by name in the bar
}

// memoryFile is the file that stores the memory. The drafts page skips names that begin with a dot.
const memoryFile = ".screen.json"

// maxMemory is the maximum size of the file, in bytes.
const maxMemory = 64 << 10

// readMemory reads the memory from the folder of unsent drafts. It returns an empty memory on any error.
func readMemory(folder string) (left memory) {
	if folder == "" {
		return left
	}
	file := filepath.Join(folder, memoryFile)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return left
	}
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &left) != nil {
		return memory{}
	}
	return left
}

// themeFolder returns the folder that stores the user's theme, which all databases share: the parent of their draft
// folders.
func themeFolder(drafts string) string {
	if drafts == "" {
		return ""
	}
	return filepath.Dir(drafts)
}

// choice returns the theme that the user picked with a key, or else the configured theme.
func (left memory) choice(cfg Config) theme.Choice {
	c := theme.Choice{Name: cfg.Theme, Dark: cfg.Theme != theme.NameLight && !lightBackground(cfg.Getenv), Plain: cfg.Plain, Own: cfg.Own}
	if slices.Contains(c.Names(), left.Theme) {
		c.Name, c.Picked = left.Theme, true
	}
	return c
}

// lightBackground reports whether COLORFGBG names a light background. rxvt, Konsole, and others set this variable to
// the text and background colors ("0;15"). It applies until the terminal answers the background query, which some
// terminals never do.
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

// remember stores the page, the theme, and the state of each page. It ignores errors, because restoring them is only
// a convenience.
func (left memory) remember(folder string, pages *navigation.Pages) {
	if folder == "" {
		return
	}
	left.Pages = map[string]screen.Left{}
	for _, r := range pages.Named() {
		if r.Page == pages.Begin() {
			left.Page = string(r.Name)
		}
		if p, ok := r.Page.(screen.Resumed); ok {
			left.Pages[string(r.Name)] = p.Left()
		}
	}
	left.write(folder)
}

func (left memory) write(folder string) {
	if text, err := json.Marshal(left); err == nil && folder != "" {
		_ = unsent.Write(filepath.Join(folder, memoryFile), text)
	}
}
