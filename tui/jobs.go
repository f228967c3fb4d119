package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// progress is the last report of a job.
type progress struct {
	done, total int64
	step        string
}

// job is the one that runs, or ended last.
type job struct {
	title  string
	cancel context.CancelFunc
	began  time.Time
	steps  chan progress
	step   progress
	done   bool
	lines  []string
	err    error
}

// jobTickMsg has the time of a job redrawn.
type jobTickMsg struct{ *job }

// Start runs a job behind a dialog that shows how far it is. Leaving the dialog
// cancels it; the program does not end before it has.
func (m *jobs) Start(title string, work Job) tea.Cmd {
	ctx, cancel := context.WithCancel(m.ctx)
	j := &job{title: title, cancel: cancel, began: m.now(), steps: make(chan progress, 1)}
	m.job = j
	m.running++
	run := func() tea.Msg {
		defer close(j.steps)
		lines, err := work(ctx, func(done, total int64, step string) {
			select { // the newest step is the one to know
			case <-j.steps:
			default:
			}
			j.steps <- progress{done, total, step}
		})
		return screen.Then{Do: func() tea.Cmd { return m.jobDone(j, lines, err) }}
	}
	shown := m.Ask(screen.Dialog{Form: proposals.Form{Title: title}, Content: func(page *prose.Page) { j.content(m.shell, page) }, Leave: func() { cancel() }})
	return tea.Batch(shown, run, m.listen(j), m.after(jobTick, jobTickMsg{j}))
}

// listen waits for the next step.
func (m *jobs) listen(j *job) tea.Cmd {
	return func() tea.Msg {
		step, ok := <-j.steps
		if !ok {
			return nil
		}
		return screen.Then{Do: func() tea.Cmd { return m.jobStepped(j, step) }}
	}
}

func (j *job) content(m *shell, page *prose.Page) {
	switch {
	case !j.done:
		j.meter(m, page)
		page.Faint("", "esc cancels it.")
	case errors.Is(j.err, context.Canceled):
		page.Text("", "Canceled before it finished.")
	case j.err != nil:
		page.Item(draw.Of(m.theme.Bad, "✗ "), wording.OneLine(j.err))
	default:
		for _, l := range j.lines {
			page.Text("", l)
		}
	}
}

// jobTick is the interval at which the time of a job is redrawn.
const jobTick = 100 * time.Millisecond

// spun is the sign of work that goes on, which turns with the time.
func spun(elapsed time.Duration) draw.Safe {
	frames := spinner.MiniDot.Frames
	return draw.Safe(frames[int(max(0, elapsed)/jobTick)%len(frames)])
}

// meter shows how far a job is, and since when it runs.
func (j *job) meter(m *shell, page *prose.Page) {
	elapsed := m.now().Sub(j.began)
	page.Line(draw.Of(m.theme.Warn, spun(elapsed)+" ").Add(m.theme.Text, draw.Show(j.step.step)))
	times := draw.Showf("%s", elapsed.Truncate(time.Second))
	if j.step.total > 0 {
		const width = 40
		full := int(min(j.step.done, j.step.total) * width / j.step.total)
		page.Line(draw.Of(m.theme.Accent, draw.Safe(strings.Repeat("━", full))).Add(m.theme.Off, draw.Safe(strings.Repeat("─", width-full))).
			Add(m.theme.Text, draw.Showf("  %d of %d  ", j.step.done, j.step.total)).Add(m.theme.Faint, times))
	} else {
		page.Line(draw.Of(m.theme.Faint, "  "+times))
	}
	page.Blank()
}

// jobTicked shows the time of the job that runs, or of what is waited for.
func (m *jobs) jobTicked(msg jobTickMsg) tea.Cmd {
	if msg.job == nil {
		return tells(m.shell)
	}
	if m.job != msg.job || m.job.done {
		return nil
	}
	if m.dialog != nil {
		m.dialog.resize(m.shell)
	}
	return m.after(jobTick, msg)
}

func (m *jobs) jobStepped(j *job, step progress) tea.Cmd {
	if m.job != j || j.done {
		return nil
	}
	j.step = step
	if m.dialog != nil {
		m.dialog.resize(m.shell)
	}
	return m.listen(j)
}

// jobDone shows how a job ended: in its dialog, or in a line where the dialog
// was left.
func (m *jobs) jobDone(j *job, lines []string, err error) tea.Cmd {
	m.running--
	if m.job != j {
		return nil
	}
	j.cancel()
	j.done, j.lines, j.err = true, lines, err
	switch {
	case m.dialog != nil && m.dialog.Form.Title == j.title:
		m.dialog.Leave = nil
		m.dialog.resize(m.shell)
	case errors.Is(err, context.Canceled):
		m.Say(remark, "%s: canceled before it finished", j.title)
	case err != nil:
		m.Fail(err)
	}
	m.known = 0 // what a job proposes is not news
	return m.reload()
}

func (m *jobs) verify() tea.Cmd { return m.Start("Verify", m.cfg.Verify) }

func (m *jobs) cannotVerify() string {
	if m.cfg.Verify == nil {
		return "verify is not available here"
	}
	return m.busy()
}

func (m *jobs) busy() string {
	if m.job != nil && !m.job.done {
		return m.job.title + " is still running"
	}
	return ""
}

// askImport asks for the file that tools are imported from.
func (m *jobs) askImport() tea.Cmd {
	return m.askFile("import", "import file", func(file string) tea.Cmd {
		return m.Start("Import "+file, func(ctx context.Context, tell Tell) ([]string, error) {
			return m.cfg.Import(ctx, file, tell)
		})
	})
}

func (m *jobs) cannotImport() string {
	switch {
	case m.cfg.Import != nil:
		return m.busy()
	case m.cfg.Remote:
		return "files here are the server's; pipe yours: ssh HOST toolcrib import - < FILE"
	}
	return "import is not available here"
}

// export asks how the registry is written to a file.
type export struct {
	file   string
	format int
	agent  string      // the one that was selected, "" for none
	only   bool        // the tools of that agent
	there  fs.FileInfo // the file that is replaced, nil for none
	err    error       // why nothing can be written there
}

// Export asks for the file, and then for the format.
func (m *jobs) Export() tea.Cmd {
	agent := ""
	if p, ok := m.agents.Page.(screen.OfEntry); ok && m.page == m.agents {
		if e, ok := p.Selected(); ok {
			agent = e.Subject.ID
		}
	}
	return m.askFile("continue", "export to file", func(file string) tea.Cmd {
		if whole, err := filepath.Abs(file); err == nil {
			file = whole
		}
		x := &export{file: file, agent: agent}
		return func() tea.Msg {
			x.there, x.err = standing(file)
			return screen.Then{Do: func() tea.Cmd { return m.exportFound(x) }}
		}
	})
}

// standing returns the file of a name, nil when a new one can be made.
func standing(file string) (fs.FileInfo, error) {
	there, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return nil, fmt.Errorf("there is no folder %s; make it, or choose another", filepath.Dir(file))
		}
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w; choose another file", err)
	case there.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a file in it", file)
	}
	return there, nil
}

func (m *jobs) cannotExport() string {
	switch {
	case m.cfg.Export != nil:
		return m.busy()
	case m.cfg.Remote:
		return "files here are the server's; write yours: ssh HOST toolcrib export > FILE"
	}
	return "export is not available here"
}

// exportFound opens the dialog, or reports why nothing can be written to the file.
func (m *jobs) exportFound(x *export) tea.Cmd {
	if x.err != nil {
		m.Fail(x.err)
		return nil
	}
	d := screen.Dialog{
		Form: proposals.Form{Title: "Export", Verb: "write"}, Content: func(page *prose.Page) { x.content(m.shell, page) },
		Run: func(_ string) tea.Cmd { return m.runExport(x) },
	}
	turn := func(do func()) func() tea.Cmd {
		return func() tea.Cmd {
			do()
			m.dialog.resize(m.shell)
			return nil
		}
	}
	n := len(m.cfg.ExportFormats)
	d.Keys = []screen.Key{
		{Keys: []string{"tab"}, Label: "next format", Do: turn(func() { x.format = (x.format + 1) % n })},
		{Keys: []string{"shift+tab"}, Do: turn(func() { x.format = (x.format + n - 1) % n })},
	}
	if x.agent != "" {
		d.Keys = append(d.Keys, screen.Key{Keys: []string{"o"}, Label: "one agent or all", Do: turn(func() { x.only = !x.only })})
	}
	if x.there != nil {
		d.Form.Verb = "replace the file"
	}
	return m.Ask(d)
}

func (x *export) content(m *shell, page *prose.Page) {
	page.Field("file", x.file)
	if x.there != nil {
		page.Item(draw.Of(m.theme.Warn, "! "), fmt.Sprintf("This file exists: %d bytes, changed %s. y replaces it; esc keeps it.", x.there.Size(), x.there.ModTime().UTC().Format(time.RFC3339)))
	}
	format := m.cfg.ExportFormats[x.format]
	scope := "everything live in the view of " + string(m.cfg.Layer)
	if x.only && !format.Whole {
		scope = "agent " + x.agent + " and its tools"
	}
	page.Field("contents", scope)
	page.Blank()
	for i, f := range m.cfg.ExportFormats {
		mark, name := draw.Of("", "  "), m.theme.Text
		if i == x.format {
			mark, name = draw.Of(m.theme.Accent, "▌ "), m.theme.Strong
		}
		page.Line(mark.Add(name, draw.Pad(draw.Show(f.Name), 11)).Add(m.theme.Faint, draw.Show(f.About)))
	}
}

func (m *jobs) runExport(x *export) tea.Cmd {
	e := Export{File: x.file, Format: m.cfg.ExportFormats[x.format].Name, Replace: x.there != nil}
	if x.only && !m.cfg.ExportFormats[x.format].Whole {
		e.Agent = x.agent
	}
	return m.Start("Export "+e.File, func(ctx context.Context, tell Tell) ([]string, error) { return m.cfg.Export(ctx, e, tell) })
}
