// Package jobs runs long work, one job at a time, behind a dialog that shows its progress.
package jobs

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/dialog"
	"toolcrib/tui/draw"
	"toolcrib/tui/pending"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Shell is the part of the workbench that jobs use.
type Shell interface {
	screen.Messenger
	Frame() screen.Frame
	Dialog() *dialog.Dialog // open dialog, or nil
	Refit()                 // lays out the dialog again
}

// Runner runs one job at a time.
type Runner struct {
	Options
	shell   Shell
	job     *job // nil before the first
	running int
}

// Options configure the runner, and which jobs it offers.
type Options struct {
	Context context.Context //nolint:containedctx // context of all jobs
	After   func(time.Duration, tea.Msg) tea.Cmd
	Ended   func() tea.Cmd // called after each job, because it may have written
	// Verify recomputes every hash chain, Import proposes the tools of a file, and Export writes the live registry to
	// a file. Each may be nil if unavailable.
	Verify  screen.Job
	Import  func(ctx context.Context, file string, tell screen.Tell) (lines []string, err error)
	Export  func(ctx context.Context, e Export, tell screen.Tell) (lines []string, err error)
	Formats []ExportFormat // formats of an export, the default first
	Layer   registry.Layer // layer to export
	Agent   func() string  // returns the selected agent, or ""
	Remote  bool           // the workbench runs on another machine than the user's terminal
	Getenv  func(string) string
}

// New returns a runner that has no job.
func New(sh Shell, o Options) *Runner { return &Runner{Options: o, shell: sh} }

// progress is the last report of a job.
type progress struct {
	done, total int64
	step        string
}

// job is a running or completed job.
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

// Tick is the message that redraws the elapsed time of a job.
type Tick struct{ *job }

// Start runs a job behind a dialog that shows its progress. Leaving the dialog cancels the job. The program waits for
// it before it quits.
func (r *Runner) Start(title string, work screen.Job) tea.Cmd {
	ctx, cancel := context.WithCancel(r.Context)
	j := &job{title: title, cancel: cancel, began: r.shell.Frame().Now(), steps: make(chan progress, 1)}
	r.job = j
	r.running++
	run := func() tea.Msg {
		defer close(j.steps)
		lines, err := work(ctx, func(done, total int64, step string) {
			select { // keep only the newest step
			case <-j.steps:
			default:
			}
			j.steps <- progress{done, total, step}
		})
		return screen.Then{Do: func() tea.Cmd { return r.jobDone(j, lines, err) }}
	}
	shown := r.shell.Ask(screen.Dialog{Form: proposals.Form{Title: title}, Content: func(page *prose.Page) { j.content(r.shell.Frame(), page) }, OnEscape: func() { cancel() }})
	return tea.Batch(shown, run, r.listen(j), r.After(pending.Every, Tick{j}))
}

// listen returns a command that waits for the next step.
func (r *Runner) listen(j *job) tea.Cmd {
	return func() tea.Msg {
		step, ok := <-j.steps
		if !ok {
			return nil
		}
		return screen.Then{Do: func() tea.Cmd {
			if r.job != j || j.done {
				return nil
			}
			j.step = step
			r.shell.Refit()
			return r.listen(j)
		}}
	}
}

func (j *job) content(f screen.Frame, page *prose.Page) {
	switch {
	case !j.done:
		j.meter(f, page)
		page.Faint("", "esc cancels it.")
	case errors.Is(j.err, context.Canceled):
		page.Text("", "Canceled before it finished.")
	case j.err != nil:
		page.Item(draw.Of(f.Theme.Bad, "✗ "), wording.OneLine(j.err))
	default:
		for _, l := range j.lines {
			page.Text("", l)
		}
	}
}

// meter draws the progress and the elapsed time of a job.
func (j *job) meter(f screen.Frame, page *prose.Page) {
	elapsed := f.Now().Sub(j.began)
	page.Line(draw.Of(f.Theme.Warn, pending.SpinnerFrame(elapsed)+" ").Add(f.Theme.Text, draw.Escape(j.step.step)))
	times := draw.Escapef("%s", elapsed.Truncate(time.Second))
	if j.step.total > 0 {
		const width = 40
		full := int(min(j.step.done, j.step.total) * width / j.step.total)
		page.Line(draw.Of(f.Theme.Accent, draw.Safe(strings.Repeat("━", full))).Add(f.Theme.Off, draw.Safe(strings.Repeat("─", width-full))).
			Add(f.Theme.Text, draw.Escapef("  %d of %d  ", j.step.done, j.step.total)).Add(f.Theme.Faint, times))
	} else {
		page.Line(draw.Of(f.Theme.Faint, "  "+times))
	}
	page.Blank()
}

// Ticked redraws the elapsed time of the running job.
func (r *Runner) Ticked(msg Tick) tea.Cmd {
	if r.job != msg.job || r.job.done {
		return nil
	}
	r.shell.Refit()
	return r.After(pending.Every, msg)
}

// jobDone shows the outcome of a job in its dialog, or in the status line if the user has left the dialog.
func (r *Runner) jobDone(j *job, lines []string, err error) tea.Cmd {
	r.running--
	if r.job != j {
		return nil
	}
	j.cancel()
	j.done, j.lines, j.err = true, lines, err
	switch d := r.shell.Dialog(); {
	case d != nil && d.Form.Title == j.title:
		d.OnEscape = nil
		r.shell.Refit()
	case errors.Is(err, context.Canceled):
		r.shell.Say(screen.Remark, "%s: canceled before it finished", j.title)
	case err != nil:
		r.shell.Fail(err)
	}
	return r.Ended()
}

// Running returns the number of running jobs.
func (r *Runner) Running() int { return r.running }

// Cancel cancels the running job.
func (r *Runner) Cancel() {
	if r.job != nil && !r.job.done {
		r.job.cancel()
	}
}

// Busy returns why no job can be started, or "".
func (r *Runner) Busy() string {
	if r.job != nil && !r.job.done {
		return r.job.title + " is still running"
	}
	return ""
}

// Export describes an export of the live registry.
type Export struct {
	File    string
	Format  string
	Agent   string // exports only this agent's tools; "" for everything
	Replace bool   // replace an existing file
}

// ExportFormat is a file format of exports.
type ExportFormat struct {
	Name, About string
	Whole       bool // always exports everything, not the tools of one agent
}
