// Package workbench runs the workbench on a local terminal, on a terminal over SSH, or as a dialogue in plain text.
package workbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"toolcrib/cli/command"
	"toolcrib/cli/files"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/cli/verify"
	"toolcrib/cli/wrap"
	"toolcrib/gateway/instructions"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
	"toolcrib/store/records"
	"toolcrib/tui"
)

// Run opens the workbench. It is called if the user starts toolcrib without a command. Without a terminal, it returns a
// usage error.
func Run(cmd *cobra.Command, a *command.App) error {
	if !a.Form.Accessible && (!a.Env.InTerminal || !a.Env.OutTerminal) {
		if !a.Form.JSON {
			fmt.Fprintln(a.Env.Err, cmd.UsageString())
		}
		return process.Usagef("without a terminal, toolcrib needs a command")
	}
	return Open(cmd.Context(), a, "")
}

// framesPerSecond is the frame rate of the screen. A lower rate would delay the response to keys, and a higher rate
// would wake the processor more often, even if nothing changes.
const framesPerSecond = 30

// Open runs the workbench until the user quits. place is the name that the workbench shows for the registry, by default
// the project of the configured layer.
func Open(ctx context.Context, a *command.App, place string) (err error) {
	a.Creates = true
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	c := *a.Config
	place = cmp.Or(place, c.Layer.Project())
	drafts, err := draftsFolder(ctx, a)
	if err != nil {
		return err
	}
	if a.Config.Accessible {
		return runDialogue(ctx, a, b)
	}
	calls, err := a.GatewayWith(ctx, func(string) {}) // warnings are part of the results of calls
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, calls.Close()) }()
	defer a.KeepCalls(ctx, func(string) {})()                   // a later command reports the errors
	open, end := context.WithCancel(context.WithoutCancel(ctx)) // not canceled by a signal, which would abort all writes at once
	defer end()                                                 // abort the reads of closed pages
	conf := tui.Config{
		Context: open, Remote: a.Remote != nil,
		Desk: tui.DeskOf(b.Desk), Regroup: b.Desk.Drafting.Regroup, Extents: b.Desk.Reading.Extents, Sources: tui.Sources{Calls: calls}, Registry: catalogReader{a.DB, c.Layer.View()}, Wait: a.DB.Wait, Blocked: a.DB.Blocked, Actor: b.Actor, Layer: c.Layer, Place: place,
		Theme: c.Theme, Plain: a.Form.NoColor || a.Env.Getenv("NO_COLOR") != "" || a.Env.Getenv("TERM") == "dumb",
		Getenv: a.Env.Getenv, Drafts: drafts, Counter: b.Desk.Impact.Counter(),
		Now: a.Env.Now, Size: func() (width int, height int) { return terminalSize(a) },
		Views:    lists.Map(c.ViewOrder, func(name string) tui.View { return tui.View{Name: name, Filter: c.Views[name]} }),
		Commands: lists.Map(slices.Sorted(maps.Keys(c.Commands)), func(name string) tui.Command { return tui.Command{Name: name, Args: c.Commands[name]} }),
	}
	conf.Servers = wrap.ScreenServers(a, calls)
	conf.Files = func(ctx context.Context) ([]instructions.Listed, error) { return files.List(ctx, a, nil) }
	conf.Signer = screenSigner{a, b.Desk, calls.Gateway, b.Actor}
	state := verify.WatchCheckpoints(a)
	switch {
	case a.Remote != nil:
		conf.Servers = nil // the servers would be those in files on the server, not those of the user
		state = a.Remote.Checkpoint
	case c.Checkpoints.Name() == "":
		state = nil
	default:
		defer verify.PublishWhileRunning(ctx, a, state)()
	}
	if state != nil {
		conf.Registry = checkpointRegistry{conf.Registry, state}
		conf.Checkpoint = func() tui.Checkpoint {
			status := state.Get()
			return tui.Checkpoint{At: status.At, Decisions: status.Decisions}
		}
	}
	width, height := terminalSize(a)
	conf.Guide = conf.Place == DemoPlace && a.Remote == nil && a.Config.Project != DemoPlace
	conf.Elsewhere = func() []tui.Elsewhere { // commands and settings outside of the workbench, for the search
		var all []tui.Elsewhere
		for _, c := range a.Program.Root(a).Commands() {
			if c.IsAvailableCommand() {
				all = append(all, tui.Elsewhere{Name: "toolcrib " + c.Name(), Help: c.Short, How: "In a shell: " + c.CommandPath() + ", with -h for its flags"})
			}
		}
		for _, name := range settings.Names() {
			all = append(all, tui.Elsewhere{Name: name, Help: "A setting of " + settings.ConfigName, How: fmt.Sprintf("Set %s in %s; toolcrib config shows the current value", name, output.ShellWord(a.Config.UserFile))})
		}
		return all
	}
	m := tui.New(conf)
	if unknown := m.Rebind(a.Config.Keys); len(unknown) > 0 {
		return fmt.Errorf("configuration: unknown action %q in [keys]; docs/keys.md lists the actions", unknown[0])
	}
	m.Prime(width, height)
	environ := os.Environ()
	if a.Remote != nil {
		environ = a.Remote.Environ
	}
	first := colorprofile.NewWriter(a.Stdout, environ)
	if _, file := a.Stdout.(*os.File); !file { // the color support of an SSH channel cannot be queried
		first.Profile = colorprofile.Env(environ)
	}
	// Draw the first frame while the program loop starts. Errors can be ignored, because the loop draws the same
	// frame again.
	_, _ = io.WriteString(first, "\x1b[?1049h\x1b[H\x1b[2J"+strings.ReplaceAll(m.View().Content, "\n", "\r\n"))
	a.RestoreGC()
	if a.Remote != nil {
		return runRemote(ctx, a, m, width, height)
	}
	return runProgram(ctx, a, m, width, height)
}

// runProgram runs the workbench until the user quits. It handles signals itself, because Bubble Tea's handler can wait
// forever after the context of the program loop has ended. The first signal cancels the current write. After restoring
// the terminal, runProgram prints the outcome of this write. The second signal ends the program without waiting.
func runProgram(ctx context.Context, a *command.App, m *tui.Model, width, height int) error {
	release := func() {}
	if a.Env.Hold != nil {
		release = a.Env.Hold()
	}
	defer release()
	program := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithInput(a.Keyboard), tea.WithOutput(a.Stdout),
		tea.WithFPS(framesPerSecond), tea.WithWindowSize(width, height))
	ctx, ignore := signal.NotifyContext(ctx, syscall.SIGHUP) // SIGHUP is sent when the terminal is closed
	defer ignore()
	again := make(chan os.Signal, 1)
	defer signal.Stop(again)
	defer context.AfterFunc(ctx, func() {
		signal.Notify(again, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		program.Send(tui.Terminate{})
		<-again
		release()
		program.Kill()
	})()
	_, err := program.Run()
	release()
	return leave(ctx, a, m, err)
}

// leave prints the outcomes of unfinished operations. It returns context.Canceled if the workbench was interrupted,
// and err otherwise.
func leave(ctx context.Context, a *command.App, m *tui.Model, err error) error {
	for _, line := range m.Outcomes() {
		a.Note("toolcrib: %s", output.FullStop(line))
	}
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil {
		return context.Canceled
	}
	return err
}

// draftsFolder returns the folder for unsent texts, or "" if unsent texts are not stored. The folder depends on the
// database, because the workbench must not show texts that belong to another database.
func draftsFolder(ctx context.Context, a *command.App) (string, error) {
	var all string
	if a.Remote != nil {
		all = a.Remote.Drafts
	} else if state, err := process.StateHome(a.Env); err == nil {
		all = filepath.Join(state, "toolcrib", "drafts")
	} else {
		return "", err
	}
	if all == "" {
		return "", nil
	}
	first, err := command.ReadView(ctx, a.DB.View, func(r review.Reader) (string, error) { return r.EventHash(ctx, 1) })
	if errors.Is(err, proposals.ErrNotFound) { // the database is damaged, which toolcrib verify reports
		first, err = strings.Repeat("0", 16), nil
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(all, first[:16]), nil
}

// terminalSize returns the size of the terminal in cells, or 80 by 24 if the size is unknown.
func terminalSize(a *command.App) (width, height int) {
	if a.Remote != nil {
		if w, h := a.Remote.Size(); w > 0 && h > 0 {
			return w, h
		}
	} else if f, ok := a.Stdout.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// catalogReader implements tui.Registry. It merges the definitions of the layers in view.
type catalogReader struct {
	db   *store.DB
	view []registry.Layer
}

func (r catalogReader) query(q tui.EntryQuery) catalog.Query {
	return catalog.Query{Kind: q.Kind, View: r.view, Filter: q.Filter, Limit: q.Limit, After: q.After, Group: (*catalog.Group)(q.Group)}
}

// Groups implements tui.Registry.
func (r catalogReader) Groups(ctx context.Context, q tui.EntryQuery) ([]tui.GroupCount, error) {
	groups, err := r.db.CatalogGroups(ctx, r.query(q))
	return lists.Map(groups, func(g catalog.GroupCount) tui.GroupCount {
		return tui.GroupCount{Group: tui.EntryGroup(g.Group), Count: g.Count}
	}), err
}

// Entries implements tui.Registry.
func (r catalogReader) Entries(ctx context.Context, q tui.EntryQuery) ([]tui.Entry, string, error) {
	page, err := r.db.Catalog(ctx, r.query(q))
	return lists.Map(page.Entries, func(e catalog.Entry) tui.Entry {
		return tui.Entry{
			Subject: e.Subject, Version: e.Version, Name: e.Name, ToolKind: e.ToolKind, Category: e.Category,
			Approval: e.Approval, Source: e.Source, Locked: e.Locked, Hides: e.Hides,
		}
	}), page.Next, err
}

// Definition implements tui.Registry.
func (r catalogReader) Definition(ctx context.Context, s registry.Subject) (json.RawMessage, error) {
	_, text, err := r.db.Find(ctx, catalog.Query{Kind: s.Kind, View: r.view}, s.String())
	return text, err
}

// Versions implements tui.Registry.
func (r catalogReader) Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error) {
	return r.db.Versions(ctx, s, before, limit)
}

// Events implements tui.Registry.
func (r catalogReader) Events(ctx context.Context, before int64, limit int) ([]history.Event, error) {
	return r.db.Events(ctx, records.EventQuery{Before: before, Limit: limit})
}

// Stamp implements tui.Registry. It returns the number of the newest event, which changes with every change of the
// database.
func (r catalogReader) Stamp(ctx context.Context) (int64, error) {
	events, err := r.db.Events(ctx, records.EventQuery{Limit: 1})
	if err != nil || len(events) == 0 {
		return 0, err
	}
	return events[0].Seq, nil
}

// DemoPlace is the place that the workbench of the demonstration shows. In this place, the workbench guides the user.
const DemoPlace = "demo"
