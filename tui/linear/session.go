package linear

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"toolcrib/gateway"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui"
	"toolcrib/tui/wording"
)

// Config holds what the dialogue takes from outside.
type Config struct {
	tui.Config
	In  io.Reader
	Out io.Writer
	// Keyboard and Screen are passed to an editor; it runs in the terminal
	// when they are files.
	Keyboard io.Reader
	Screen   io.Writer
	// Resolve finds proposals by what people call them.
	Resolve func(ctx context.Context, refs ...string) ([]proposals.ID, error)
	// Page is after how many lines it waits; 0 for never.
	Page int
	// Width is how wide the terminal is, to know how much of a page a long line
	// takes; 0 for endless.
	Width int
}

// Run holds the dialogue until the user quits or the input ends.
func Run(ctx context.Context, c Config) error {
	s := &session{cfg: c, ctx: ctx, in: bufio.NewReader(c.In), out: &printer{to: c.Out}, read: map[proposals.ID]*reading{}, heard: map[string]string{}, unsent: map[string]string{}, counter: c.Counter}
	if s.counter == nil {
		s.counter = tokens.NewCounter()
	}
	s.out.linef("toolcrib, as %s. Say help for the commands.", c.Actor)
	if stamp, err := c.Registry.Stamp(ctx); err == nil {
		s.stamp = stamp
	}
	s.cfg.Ask = s.sign
	s.sayCheckpoint()
	s.do("list", "yours")
	for !s.done && s.out.err == nil {
		line, ok := s.ask(s.where() + "> ")
		if !ok {
			break
		}
		s.follow()
		name, rest, _ := strings.Cut(line, " ")
		s.do(name, strings.TrimSpace(rest))
	}
	return errors.Join(s.out.err, ctx.Err())
}

// session is one dialogue.
type session struct {
	unsent map[string]string // the reason last typed at a prompt, until an act used it
	cfg    Config
	ctx    context.Context //nolint:containedctx // a session lives as long as one call of Run
	in     *bufio.Reader
	out    *printer
	done   bool
	stamp  int64

	query   review.Query
	list    []proposals.Proposal // as they were numbered
	next    string               // where the list goes on
	marks   []proposals.Proposal // to decide together, in the order in which they were marked
	open    *review.Dossier      // nil while the queue is looked at
	read    map[proposals.ID]*reading
	counter *tokens.Counter

	calls []gateway.Pending // as they were numbered
	heard map[string]string // digests of calls that were read out whole, by id
}

// reading notes which parts of a proposal were read out.
type reading struct {
	dossier        review.Dossier
	diff, findings string // the review digest they were read out for
}

func (s *session) where() string {
	switch {
	case s.open != nil:
		return wording.Reference(s.open.Proposal)
	case len(s.marks) > 0:
		return fmt.Sprintf("queue, %d marked", len(s.marks))
	}
	return "queue"
}

// ask prints a question and reads a line; false at the end of the input.
func (s *session) ask(question string) (string, bool) {
	s.out.raw(question)
	line, err := s.in.ReadString('\n')
	if s.ctx.Err() != nil || err != nil && line == "" {
		s.out.raw("\n")
		return "", false
	}
	return strings.TrimSpace(line), true
}

// command is a word and what it does.
type command struct {
	names []string
	args  string
	help  string
	open  bool // it is about the proposal that is open
	do    func(*session, string) error
}

func commands() []command {
	return []command{
		{names: []string{"list", "l"}, args: "[STATE]", help: "list the proposals: all, yours, chief, changes, drafts, approved, rejected or withdrawn", do: (*session).doList},
		{names: []string{"find", "f"}, args: "[TEXT]", help: "filter, as toolcrib list --filter does: text, #7, state:open, rule:S104", do: (*session).doFind},
		{names: []string{"sort"}, args: "ORDER", help: "sort by newest, oldest, risk (worst findings first), subject or author", do: (*session).doSort},
		{names: []string{"next", "n"}, help: "continue the list", do: (*session).doNext},
		{names: []string{"open", "o"}, args: "NUMBER", help: "open a proposal by its number in the list, its issue (#7) or its id", do: (*session).doOpen},
		{names: []string{"mark", "m"}, args: "[NUMBERS | all]", help: "mark listed proposals, or the open one, to decide on several; alone, list the marked ones", do: (*session).doMark},
		{names: []string{"unmark"}, args: "NUMBERS | all", help: "remove marks", do: (*session).doUnmark},
		{names: []string{"overview", "1"}, help: "show the proposal, its author and reason", open: true, do: (*session).doOverview},
		{names: []string{"diff", "2"}, args: "[whole]", help: "show the changes, field by field", open: true, do: (*session).doDiff},
		{names: []string{"findings", "3"}, help: "show the findings", open: true, do: (*session).doFindings},
		{names: []string{"rule"}, args: "ID", help: "explain a rule", do: (*session).doRule},
		{names: []string{"prompt", "4"}, args: "[NUMBER [now | after | diff]]", help: "list the changed channel prompts, or show one", open: true, do: (*session).doPrompt},
		{names: []string{"thread", "5"}, help: "show comments and decisions", open: true, do: (*session).doThread},
		{names: []string{"history", "6"}, help: "list the versions of the subject", open: true, do: (*session).doHistory},
		{names: []string{"approve", "a"}, help: "approve the open proposal with its change set; in the queue, all marked ones or none", do: (*session).doApprove},
		{names: []string{"changes", "c"}, help: "send it, or in the queue all marked ones, back with a reason", do: refuse(proposals.ActRequestChanges)},
		{names: []string{"reject", "x"}, help: "reject it, or in the queue all marked ones, with a reason", do: refuse(proposals.ActReject)},
		{names: []string{"waive", "w"}, args: "NUMBER", help: "waive a finding with a reason", open: true, do: waive(proposals.ActWaive)},
		{names: []string{"unwaive"}, args: "NUMBER", help: "end the waiver of a finding with a reason", open: true, do: waive(proposals.ActUnwaive)},
		{names: []string{"comment"}, args: "[FIELD [LINE]]", help: "comment on the proposal, a field or a line", open: true, do: (*session).doComment},
		{names: []string{"assess"}, help: "run the built-in review again", open: true, do: (*session).doAssess},
		{names: []string{"submit"}, help: "submit the draft", open: true, do: simple(proposals.ActSubmit)},
		{names: []string{"rebase"}, help: "rebase it on the live version", open: true, do: simple(proposals.ActRebase)},
		{names: []string{"withdraw"}, help: "withdraw it", open: true, do: simple(proposals.ActWithdraw)},
		{names: []string{"again"}, help: "draft a rejected or withdrawn proposal again", open: true, do: (*session).doAgain},
		{names: []string{"id"}, help: "show its full id and review digest", open: true, do: (*session).doID},
		{names: []string{"tools", "t"}, args: "[TEXT]", help: "list the live tools", do: (*session).doTools},
		{names: []string{"agents"}, args: "[TEXT]", help: "list the live agents", do: (*session).doAgents},
		{names: []string{"lists"}, args: "[TEXT]", help: "list the live allow-lists", do: (*session).doLists},
		{names: []string{"show"}, args: "SUBJECT", help: "show a tool or an agent, its versions and users", do: (*session).doShow},
		{names: []string{"fork"}, args: "ID", help: "draft a tool of your own from a core tool", do: (*session).doFork},
		{names: []string{"new"}, args: "SUBJECT", help: "draft a proposal in your editor", do: (*session).doNew},
		{names: []string{"revise", "e"}, help: "revise it in your editor", open: true, do: (*session).doRevise},
		{names: []string{"calls"}, args: "[NUMBER]", help: "list the calls that wait for you, or show one", do: (*session).doCalls},
		{names: []string{"run"}, args: "NUMBER", help: "run a waiting call", do: (*session).doRun},
		{names: []string{"refuse"}, args: "NUMBER", help: "refuse a waiting call with a reason", do: (*session).doRefuse},
		{names: []string{"log"}, help: "show the newest audit log entries", do: (*session).doLog},
		{names: []string{"back", "b"}, help: "go back to the queue", do: (*session).doBack},
		{names: []string{"help", "?"}, args: "[WORD]", help: "list these commands, or those that contain WORD", do: (*session).doHelp},
		{names: []string{"quit", "q"}, help: "quit", do: (*session).doQuit},
	}
}

// do runs a typed command.
func (s *session) do(name, rest string) {
	if name == "" {
		return
	}
	if s.isNumber(name) {
		name, rest = "open", name
	}
	for _, c := range commands() {
		for _, n := range c.names {
			if !strings.EqualFold(n, name) {
				continue
			}
			if c.open && s.open == nil {
				s.out.line("No proposal is open. Say open and a number.")
				return
			}
			if err := c.do(s, rest); err != nil {
				s.out.line(sentence(err))
			}
			return
		}
	}
	s.out.linef("%q is not a command. Say help.", name)
}

// isNumber reports whether a word names a proposal: #7 everywhere, and in the queue
// also 7. In an open proposal, numbers are commands.
func (s *session) isNumber(word string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(word, "#"))
	return err == nil && (s.open == nil || strings.HasPrefix(word, "#"))
}

func (s *session) doHelp(word string) error {
	found := false
	for _, c := range commands() {
		line := strings.TrimSpace(strings.Join(c.names, ", ")+" "+c.args) + ": " + c.help
		if strings.Contains(strings.ToLower(line), strings.ToLower(word)) {
			s.out.line(line)
			found = true
		}
	}
	if !found {
		s.out.line("No command matches.")
	}
	return nil
}

func (s *session) doQuit(string) error {
	s.done = true
	return nil
}

func (s *session) doBack(string) error {
	if s.open == nil {
		s.out.line("This is the queue. Say quit to leave.")
		return nil
	}
	s.open = nil
	s.out.line("The queue.")
	return nil
}

// follow reports writes by other processes, and reads the open proposal again.
func (s *session) follow() {
	stamp, err := s.cfg.Registry.Stamp(s.ctx)
	if err != nil || stamp == s.stamp {
		return
	}
	s.stamp = stamp
	if s.open == nil {
		s.out.line("The list changed; say list.")
		return
	}
	before := s.open.Digest
	if err := s.reopen(); err != nil {
		s.out.line(sentence(err))
		return
	}
	if s.open.Digest != before {
		s.out.linef("The proposal changed: it is now %s, revision %d.", s.stateWord(s.open.Proposal), s.open.Proposal.Revision)
	}
}

// wrote takes note of what this session wrote itself.
func (s *session) wrote() error {
	if stamp, err := s.cfg.Registry.Stamp(s.ctx); err == nil {
		s.stamp = stamp
	}
	return s.reopen()
}
