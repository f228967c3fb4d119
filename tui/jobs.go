package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// Job is work that takes long. It tells how far it is, ends early when ctx is
// done, and returns what there is to say about how it ended.
type Job func(ctx context.Context, tell func(step string)) (lines []string, err error)

// job is the one that runs, or ended last.
type job struct {
	number int
	title  string
	cancel context.CancelFunc
	steps  chan string
	step   string
	done   bool
	lines  []string
	err    error
}

type (
	// jobStepMsg says how far a job is.
	jobStepMsg struct {
		number int
		step   string
	}
	// jobDoneMsg says how a job ended.
	jobDoneMsg struct {
		number int
		lines  []string
		err    error
	}
)

// start runs a job behind a dialog that shows how far it is. Leaving the dialog
// cancels it; the program does not end before it has.
func (m *Model) start(title string, work Job) tea.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	m.jobs++
	j := &job{number: m.jobs, title: title, cancel: cancel, steps: make(chan string, 1)}
	m.job = j
	m.writes++
	run := func() tea.Msg {
		defer close(j.steps)
		lines, err := work(ctx, func(step string) {
			select { // the newest step is the one to know
			case <-j.steps:
			default:
			}
			j.steps <- step
		})
		return jobDoneMsg{j.number, lines, err}
	}
	shown := m.ask(&dialog{form: proposals.Form{Title: title}, content: j.content, leave: func(*Model) { cancel() }})
	return tea.Batch(shown, run, j.listen())
}

// listen waits for the next step.
func (j *job) listen() tea.Cmd {
	return func() tea.Msg {
		step, ok := <-j.steps
		if !ok {
			return nil
		}
		return jobStepMsg{j.number, step}
	}
}

func (j *job) content(m *Model, page *prose.Page) {
	switch {
	case !j.done:
		page.Line(draw.Of(m.theme.Warn, "⋯ ").Add(m.theme.Text, draw.Show(j.step)))
		page.Blank()
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

func (m *Model) jobStepped(msg jobStepMsg) tea.Cmd {
	if m.job == nil || m.job.number != msg.number || m.job.done {
		return nil
	}
	m.job.step = msg.step
	if m.dialog != nil {
		m.dialog.resize(m)
	}
	return m.job.listen()
}

// jobDone shows how a job ended: in its dialog, or in a line where the dialog
// was left.
func (m *Model) jobDone(msg jobDoneMsg) tea.Cmd {
	m.writes--
	j := m.job
	if j == nil || j.number != msg.number {
		return nil
	}
	j.cancel()
	j.done, j.lines, j.err = true, msg.lines, msg.err
	switch {
	case m.dialog != nil && m.dialog.form.Title == j.title:
		m.dialog.leave = nil
		m.dialog.resize(m)
	case errors.Is(msg.err, context.Canceled):
		m.say(remark, "%s: canceled before it finished", j.title)
	case msg.err != nil:
		m.fail(msg.err)
	}
	m.known = 0 // what a job proposes is not news
	return m.reload()
}

func (m *Model) verify() tea.Cmd { return m.start("Verify", m.cfg.Verify) }

func (m *Model) cannotVerify() string {
	if m.cfg.Verify == nil {
		return "verify is not available here"
	}
	return m.busy()
}

func (m *Model) busy() string {
	if m.job != nil && !m.job.done {
		return m.job.title + " is still running"
	}
	return ""
}

// askImport asks for the file that tools are imported from.
func (m *Model) askImport() tea.Cmd {
	text := edit.NewLine("")
	m.line = &input{
		prompt: "import file", text: text, hints: [][2]string{{"enter", "import"}, {"esc", "leave"}}, changed: nothing, cancel: nothing,
		done: func(m *Model) tea.Cmd {
			file := text.String()
			if file == "" {
				return nil
			}
			return m.start("Import "+file, func(ctx context.Context, tell func(string)) ([]string, error) {
				return m.cfg.Import(ctx, file, tell)
			})
		},
	}
	return nil
}

func (m *Model) cannotImport() string {
	if m.cfg.Import == nil {
		return "import is not available here"
	}
	return m.busy()
}
