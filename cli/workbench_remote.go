package cli

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/colorprofile"

	"toolcrib/tui"
)

// leavingTime is how long a workbench whose terminal is gone may take to answer its
// writes.
const leavingTime = 2 * time.Second

// runRemote shows the workbench on a terminal elsewhere until it is left, or the
// client is gone. No signal of the process is about it.
func (a *app) runRemote(ctx context.Context, m *tui.Model, width, height int) error {
	a.remote.ran("workbench")
	over := make(chan struct{})
	defer close(over)
	limited := newLimitedKeyboard(a.keyboard)
	keyboard := readerFunc(func(p []byte) (int, error) {
		n, err := limited.Read(p)
		if err != nil {
			<-over // writes may be under way when the input ends
		}
		return n, err
	})
	program := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithInput(keyboard), tea.WithOutput(a.stdout),
		tea.WithEnvironment(a.remote.environ), tea.WithColorProfile(colorprofile.Env(a.remote.environ)), tea.WithFPS(framesPerSecond), tea.WithWindowSize(width, height))
	running, end := context.WithCancel(ctx)
	defer end()
	go a.remote.resized(running, func(width, height int) { program.Send(tea.WindowSizeMsg{Width: width, Height: height}) })
	kill := time.AfterFunc(time.Hour, program.Kill)
	kill.Stop()
	defer context.AfterFunc(ctx, func() {
		kill.Reset(leavingTime)
		program.Send(tui.Leave{})
	})()
	_, err := program.Run()
	kill.Stop()
	return a.leave(ctx, m, err)
}
