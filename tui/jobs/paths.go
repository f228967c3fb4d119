// The input line for file names.

package jobs

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// maxPaths is the maximum number of completions shown at once.
const maxPaths = 8

// pathLine is the input line for a file name, with completions.
type pathLine struct {
	text        *edit.Lossless
	completions []string
	selected    int // index of the selected completion; -1 before the arrows are used
	err         error
}

// askFile asks for a file name. verb is the effect of enter.
func (r *Runner) askFile(verb string, prompt draw.Safe, done func(file string) tea.Cmd) tea.Cmd {
	paths := &pathLine{text: edit.NewLossless("")}
	return r.shell.OpenLine(&screen.Line{
		Prompt: prompt, Text: paths.text, Above: func() []draw.Line { return paths.lines(r.shell.Frame()) },
		Hints: [][2]string{{"tab", "complete"}, {"enter", verb}, {"esc", "leave"}, {"up", "up"}, {"down", "down"}},
		Step:  paths.selectCompletion,
		Complete: func() tea.Cmd {
			typed := r.expandHome(paths.text.String())
			paths.text.Set(typed)
			return func() tea.Msg {
				found, err := pathsFrom(typed)
				return screen.Then{Do: func() tea.Cmd { paths.completed(typed, found, err); return nil }}
			}
		},
		Done: func() tea.Cmd {
			if paths.text.String() == "" {
				return nil
			}
			return done(r.expandHome(paths.text.String()))
		},
	})
}

// expandHome expands a leading ~.
func (r *Runner) expandHome(file string) string {
	rest, ok := strings.CutPrefix(file, "~"+string(filepath.Separator))
	if home := r.Getenv("HOME"); ok && home != "" {
		return home + string(filepath.Separator) + rest
	}
	return file
}

// selectCompletion selects the next or the previous completion and puts it into the line.
func (p *pathLine) selectCompletion(step int) {
	if len(p.completions) == 0 {
		return
	}
	p.selected = min(max(0, p.selected+step), len(p.completions)-1)
	p.text.Set(p.completions[p.selected])
}

// pathsFrom returns the files and folders that begin with a text. Folders end in a separator. Names that are not
// UTF-8 cannot be typed and are omitted.
func pathsFrom(typed string) ([]string, error) {
	dir, begin := filepath.Split(typed)
	where := dir
	if dir == "" {
		where = "."
	}
	entries, err := os.ReadDir(where)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		name := e.Name()
		if !utf8.ValidString(name) || !strings.HasPrefix(name, begin) || begin == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(where, name)); err == nil && info.IsDir() {
			name += string(filepath.Separator)
		}
		found = append(found, dir+name)
	}
	return found, nil
}

// completed extends the name to the longest common prefix of the completions, unless the text has changed since.
func (p *pathLine) completed(typed string, found []string, err error) {
	if p.text.String() != typed {
		return
	}
	p.completions, p.selected, p.err = found, -1, err
	if len(found) == 0 {
		return
	}
	common := found[0]
	for _, f := range found[1:] {
		for !strings.HasPrefix(f, common) {
			common = common[:len(common)-1]
		}
	}
	p.text.Set(strings.ToValidUTF8(common, ""))
	if len(found) == 1 {
		p.completions = nil
	}
}

// lines draws the completions.
func (p *pathLine) lines(f screen.Frame) []draw.Line {
	if len(p.completions) == 0 && p.err == nil {
		return nil
	}
	end := 0 // end of the visible range
	lines := f.Choices(len(p.completions), p.selected, min(maxPaths, f.Body-3), func(i int) draw.Line {
		end = i + 1
		return draw.Of(f.Theme.Text, " "+draw.Escape(p.completions[i]))
	})
	if p.err != nil {
		return append(lines, draw.Of(f.Theme.Warn, " "+draw.Escape(p.err.Error())))
	}
	if more := len(p.completions) - end; more > 0 {
		lines = append(lines, draw.Of(f.Theme.Faint, draw.Escapef("  and %d more", more)))
	}
	return lines
}
