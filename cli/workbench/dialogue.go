// This file implements the dialogue, which is the workbench in plain text.

package workbench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/verify"
	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// dialogue is the workbench in plain text. It reads commands in a loop and runs them in this process. Commands without
// an id act on the current proposal. As on the screen, each decision is bound to the content that the user read in the
// dialogue, and the user must confirm it.
type dialogue struct {
	app  *command.App
	desk command.Session
	in   *bufio.Reader
	asks bool // whether input and output are a terminal, where a person can answer questions

	current proposals.ID // the current proposal, or ""
	about   string       // name of the current proposal or change set, or "" if neither is selected
	call    string       // id of the waiting call that was shown last
	list    []proposals.ID
	read    map[proposals.ID]*readProposal
	calls   map[string]string // digests of the calls that the user read, by id
	reasons map[string]string // last reason entered for each command and its arguments
	command string            // name of the running command
	next    string            // command that the user entered instead of reading on
	stamp   int64
}

// readProposal contains the content of a proposal that the user last read, and the names of the commands that printed
// it.
type readProposal struct {
	review.Dossier
	by []string
}

// runDialogue runs the dialogue until the user quits or the input ends. Without a terminal, it returns the exit status
// of the last command, as a shell does for a script.
func runDialogue(ctx context.Context, a *command.App, b command.Session) error {
	a.RestoreGC()
	d := &dialogue{
		app: a, desk: b, in: bufio.NewReader(a.Env.In), asks: a.Env.InTerminal && a.Env.OutTerminal,
		read: map[proposals.ID]*readProposal{}, calls: map[string]string{}, reasons: map[string]string{},
	}
	d.print("toolcrib, as %s. Enter help for the commands.", b.Actor)
	d.printCheckpoint(ctx)
	status := d.run(ctx, "list", "--state", string(proposals.UserReview))
	d.changed(ctx)
	for ctx.Err() == nil {
		line, more := d.next, true
		if d.next = ""; line == "" {
			line, more = d.ask(cmp.Or(d.about, "queue") + "> ")
		}
		if !more {
			break
		}
		if d.changed(ctx) { // another process changed the database
			read := d.read[d.current]
			if read == nil {
				d.print("The database has changed. To list the proposals, enter list.")
			} else if now, err := d.desk.Desk.Reading.Show(ctx, d.desk.Actor, d.current); err == nil && now.Digest != read.Digest {
				d.print("%s changed since you read it: it is now %s, revision %d.", now.Proposal.Handle(), now.Proposal.State, now.Proposal.Revision)
			}
		}
		words, err := process.Words(line)
		switch {
		case err != nil:
			d.print("A quotation mark is not closed, or a backslash is at the end.")
			status = command.ExitUsage
			continue
		case len(words) > 0 && words[0] == "toolcrib": // hints print commands in this form
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if slices.Contains([]string{"quit", "q", "exit"}, words[0]) {
			return nil
		}
		status = d.runEntered(ctx, words)
		d.changed(ctx)
	}
	if a.Remote != nil {
		a.Remote.Ran("workbench")
	}
	if err := ctx.Err(); err != nil || d.asks || status == command.ExitOK {
		return err
	}
	return process.ExitStatus(status)
}

// print prints a line. It makes hidden characters in the line visible.
func (d *dialogue) print(format string, args ...any) {
	fmt.Fprintln(d.app.Env.Out, visible.Line(fmt.Sprintf(format, args...)))
}

// ask prints a question and reads one line of input. It returns false at the end of the input.
func (d *dialogue) ask(question string) (string, bool) {
	_, _ = fmt.Fprint(d.app.Env.Out, visible.Line(question)) // if the terminal is disconnected, reading the input fails, too
	line, err := d.in.ReadString('\n')
	line = strings.TrimSpace(line)
	if err != nil && line == "" {
		fmt.Fprintln(d.app.Env.Out)
		return "", false
	}
	if !d.asks { // echo the input, because no terminal does
		fmt.Fprintln(d.app.Env.Out, visible.Line(line))
	}
	return line, true
}

func (d *dialogue) printCheckpoint(ctx context.Context) {
	state := verify.WatchCheckpoints(d.app)
	switch {
	case d.app.Remote != nil && d.app.Remote.Checkpoint == nil, d.app.Remote == nil && d.app.Config.Checkpoints.Name() == "":
		return
	case d.app.Remote != nil:
		state = d.app.Remote.Checkpoint
	default:
		state.Refresh(ctx)
	}
	switch c := state.Get(); {
	case c.Decisions > 0:
		d.print("%s not in a published checkpoint yet.", wording.Count(c.Decisions, "decision is", "decisions are"))
	case !c.At.IsZero():
		d.print("The newest checkpoint is %s old.", wording.Age(d.app.Env.Now().Sub(c.At)))
	}
}

// changed reports whether any process has changed the database since the previous call of changed.
func (d *dialogue) changed(ctx context.Context) bool {
	before := d.stamp
	if stamp, err := (catalogReader{db: d.app.DB}).Stamp(ctx); err == nil {
		d.stamp = stamp
	}
	return d.stamp != before
}

// runEntered runs an entered command and returns its exit status.
func (d *dialogue) runEntered(ctx context.Context, words []string) int {
	switch word := words[0]; {
	case word == "help" || word == "?":
		if len(words) == 1 || words[1] == "all" {
			return d.help(len(words) > 1)
		}
	case word == "next", word == "n", word == "back", word == "b":
		return d.step(ctx, word[0] == 'n')
	case word == "edit":
		return d.edit(ctx, words[1:])
	case len(words) == 1 && (strings.HasPrefix(word, "#") || strings.HasPrefix(word, "set:") || strings.Trim(word, "0123456789") == ""):
		words = []string{"show", word}
	}
	args, ok := d.complete(ctx, words)
	if !ok {
		return command.ExitRefused
	}
	return d.run(ctx, args...)
}

// help prints the commands of the dialogue and of the program. If all is false, it omits the commands of the program
// that are not about proposals.
func (d *dialogue) help(all bool) int {
	for _, line := range []string{
		"A number such as 7 shows proposal 7. Commands without a number use the proposal that was shown last.",
		"next: show the next proposal of the last list",
		"back: show the previous proposal of the last list",
		"edit FILE: edit a file in your editor, for propose or revise",
		"quit: leave",
		"help COMMAND: explain a command and its flags",
		"help all: list all commands, not only those about proposals",
	} {
		d.print("%s", line)
	}
	for _, c := range d.app.Program.Root(&command.App{Printer: &output.Printer{Env: d.app.Env}, Remote: d.app.Remote}).Commands() {
		if c.IsAvailableCommand() && (all || c.GroupID == command.GroupProposals) && !slices.Contains(endless, c.Name()) {
			d.print("%s: %s", c.Name(), c.Short)
		}
	}
	return command.ExitOK
}

// endless lists the commands that run until the user stops them. They cannot be run in the dialogue.
var endless = []string{"serve", "mcp", "guard", "watch", "demo"}

// step shows the next or the previous proposal of the last list that was printed.
func (d *dialogue) step(ctx context.Context, forward bool) int {
	at := slices.Index(d.list, d.current)
	switch {
	case forward:
		at++
	case at < 0:
		at = len(d.list)
		fallthrough
	default:
		at--
	}
	if at < 0 || at >= len(d.list) {
		d.print("The last list has no more proposals in that direction; enter list.")
		return command.ExitNotFound
	}
	return d.runEntered(ctx, []string{"show", string(d.list[at])})
}

// edit opens a file in the user's editor. files must contain exactly one name.
func (d *dialogue) edit(ctx context.Context, files []string) int {
	editor, err := process.Words(cmp.Or(d.app.Env.Getenv("VISUAL"), d.app.Env.Getenv("EDITOR"), "vi"))
	in, onTerminal := d.app.Keyboard.(*os.File)
	switch {
	case d.app.Remote != nil:
		d.print("The editor is not available, because the session runs on another machine. Send a file with toolcrib propose - or toolcrib revise NUMBER -.")
	case len(files) != 1 || err != nil || len(editor) == 0:
		d.print("Enter edit with the name of one file, such as edit pacer.md. Set the variable EDITOR to your editor.")
	case !onTerminal:
		d.print("The editor needs a terminal.")
	default:
		run := exec.CommandContext(ctx, editor[0], append(editor[1:], files[0])...) //nolint:gosec // the user's own editor
		run.Dir, run.Stdin, run.Stdout, run.Stderr = d.app.Env.Dir, in, d.app.Stdout, d.app.Stdout
		if err := run.Run(); err != nil {
			d.print("The editor failed: %v.", err)
			return command.ExitFailed
		}
		d.print("The editor closed %s. To use the file, enter propose or revise with the name of the file.", files[0])
		return command.ExitOK
	}
	return command.ExitRefused
}

// run runs a command and returns its exit status. It passes the global flags of the dialogue to the command.
func (d *dialogue) run(ctx context.Context, args ...string) int {
	flags := []string{"--accessible", "--no-color"}
	for name, value := range map[string]string{"as": d.app.Flags.As, "db": d.app.Flags.DB, "project": d.app.Flags.Project, "workspace": d.app.Flags.Workspace} {
		if value != "" {
			flags = append(flags, "--"+name+"="+value)
		}
	}
	env := d.app.Env
	env.Args, env.In, env.InTerminal = append(flags, args...), strings.NewReader(""), false
	child := command.New(ctx, env, d.app.Program)
	child.Keyboard, child.Stdout, child.Stderr, child.Remote, child.OverSSH = d.app.Keyboard, d.app.Stdout, d.app.Stderr, d.app.Remote, d.app.OverSSH
	child.ReadAloud, child.Audience = d.page, d
	d.command = args[0]
	return child.Program.Run(ctx, child)
}

// page prints text and reports whether it printed the whole text. On a terminal, it pauses after each screen, and the
// user can stop the output.
func (d *dialogue) page(text []byte) bool {
	width, height := terminalSize(d.app)
	room := max(height-2, 10)
	left := room
	for line := range bytes.Lines(text) {
		rows := 1 + (len(bytes.TrimRight(line, "\n"))-1)/max(width, 1)
		if left -= rows; left < 0 && d.asks {
			if answer, ok := d.ask("Press enter to continue, or enter stop: "); !ok || answer != "" {
				d.print("Stopped before the end.")
				if answer != "stop" {
					d.next = answer
				}
				return false
			}
			left = room - rows
		}
		if _, err := d.app.Env.Out.Write(line); err != nil {
			return false
		}
	}
	return true
}

// Listed sets the list for the next and back commands. After that, no proposal is current.
func (d *dialogue) Listed(found []proposals.Proposal) {
	d.list = lists.Map(found, func(p proposals.Proposal) proposals.ID { return p.ID })
	d.current, d.about = "", ""
}

// Shown records that the running command printed the given proposals completely.
func (d *dialogue) Shown(ds []review.Dossier) {
	for _, one := range ds {
		read := d.read[one.Proposal.ID]
		if read == nil || read.Digest != one.Digest {
			read = &readProposal{}
			d.read[one.Proposal.ID] = read
		}
		read.Dossier = one
		read.by = append(read.by, d.command)
	}
}

// ListedCall makes a call the current call. id is the first call of a printed list.
func (d *dialogue) ListedCall(id string) { d.call = id }

// ShownCall records that a call was printed, and makes it the current call.
func (d *dialogue) ShownCall(id, digest string) { d.call, d.calls[id] = id, digest }
