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
	text  *edit.Lossless
	found []string
	at    int // index of the selected completion; -1 before the arrows are used
	err   error
}

// askFile asks for a file name. verb is the effect of enter.
func (r *Runner) askFile(verb string, prompt draw.Safe, done func(file string) tea.Cmd) tea.Cmd {
	paths := &pathLine{text: edit.NewLossless("")}
	return r.shell.Type(&screen.Line{
		Prompt: prompt, Text: paths.text, Above: func() []draw.Line { return paths.lines(r.shell.Frame()) },
		Hints: [][2]string{{"tab", "complete"}, {"enter", verb}, {"esc", "leave"}, {"up", "up"}, {"down", "down"}},
		Step:  paths.choose,
		Complete: func() tea.Cmd {
			typed := r.atHome(paths.text.String())
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
			return done(r.atHome(paths.text.String()))
		},
	})
}

// atHome expands a leading ~.
func (r *Runner) atHome(file string) string {
	rest, ok := strings.CutPrefix(file, "~"+string(filepath.Separator))
	if home := r.Getenv("HOME"); ok && home != "" {
		return home + string(filepath.Separator) + rest
	}
	return file
}

// choose selects the next or the previous completion and puts it into the line.
func (p *pathLine) choose(step int) {
	if len(p.found) == 0 {
		return
	}
	p.at = min(max(0, p.at+step), len(p.found)-1)
	p.text.Set(p.found[p.at])
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
	p.found, p.at, p.err = found, -1, err
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
		p.found = nil
	}
}

// lines draws the completions.
func (p *pathLine) lines(f screen.Frame) []draw.Line {
	if len(p.found) == 0 && p.err == nil {
		return nil
	}
	end := 0 // end of the visible range
	lines := f.Choices(len(p.found), p.at, min(maxPaths, f.Body-3), func(i int) draw.Line {
		end = i + 1
		return draw.Of(f.Theme.Text, " "+draw.Show(p.found[i]))
	})
	if p.err != nil {
		return append(lines, draw.Of(f.Theme.Warn, " "+draw.Show(p.err.Error())))
	}
	if more := len(p.found) - end; more > 0 {
		lines = append(lines, draw.Of(f.Theme.Faint, draw.Showf("  and %d more", more)))
	}
	return lines
}
