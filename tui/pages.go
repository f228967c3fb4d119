// This file declares the kinds of pages.

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
	"toolcrib/tui/auditlog"
	"toolcrib/tui/calls"
	"toolcrib/tui/changeset"
	"toolcrib/tui/desk"
	"toolcrib/tui/drafts"
	"toolcrib/tui/draw"
	"toolcrib/tui/editor"
	"toolcrib/tui/entries"
	"toolcrib/tui/files"
	"toolcrib/tui/help"
	"toolcrib/tui/navigation"
	"toolcrib/tui/pending"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/servers"
	"toolcrib/tui/subject"
	"toolcrib/tui/wording"
)

// pageKind declares a kind of page. If make is set, the workbench creates a single page of this kind when it
// starts. Otherwise, pageOpener creates a page for each proposal, change set, or definition.
type pageKind struct {
	zero    screen.Page               // provides the place and the keys for the documentation
	make    func(s *deps) screen.Page // constructor; nil if pageOpener creates the pages
	key     screen.Key                // key that opens the page from any page; the function roots sets its Do field; zero for no key
	next    draw.Safe                 // name of the page to which the key switches if this page is already on screen
	off     func(cfg *Config) string  // returns why the key is disabled, or ""; may be nil
	name    draw.Safe                 // name in the bar; "" for none
	last    bool                      // placed last in the bar
	present func(cfg *Config) bool    // reports whether the name of the page is in the bar; nil means always
	watched bool                      // reload the page after each write, because the bar shows its sign
	// sign draws the page's sign in the bar while another page is on screen; it may be nil.
	sign func(p screen.Page, f screen.Frame) draw.Line
}

// pageShell contains everything that pages can request from the workbench.
type pageShell interface {
	queue.Shell
	auditlog.Shell
	changeset.Shell
	proposal.Shell
	entries.Shell
	subject.Shell
	help.Shell
	drafts.Shell
	servers.Shell
	files.Shell
}

// Sources are the data sources of pages, apart from the desk and the registry. A source is nil if it is not
// available.
type Sources struct {
	Calls   Calls        // calls made by agents
	Servers servers.Read // servers in the user's clients, and whether each is guarded
	Files   files.Read   // skills and instruction files, compared with their approved versions
}

// deps are the dependencies of the pages.
type deps struct {
	*Config
	shell       pageShell
	user        *desk.User
	editor      *editor.Editor
	ops         *pending.Operations
	seen        *seen.Record
	waitingText func() string // describes how many proposals wait for the user
}

// pageKinds returns all kinds of pages, in the order of the documentation.
func pageKinds() []pageKind {
	return []pageKind{
		{
			zero: new(queue.Page), name: "Queue", watched: true,
			key: screen.Key{Name: "queue", Keys: []string{"Q"}, Help: "Go to the queue"},
			make: func(s *deps) screen.Page {
				return queue.New(s.Context, s.shell, s.Desk, queue.Options{
					Actor: s.Actor, Views: s.Views, NoEditor: s.editor.Missing, Remote: s.Remote, Extents: s.Extents, AddView: s.seen.AddView, Debounce: s.debounce,
				})
			},
		},
		{zero: new(changeset.Page)},
		{zero: new(proposal.Page)},
		{
			zero: new(entries.Page), name: "Tools", next: "Files", make: entriesOf(registry.KindTool),
			key: screen.Key{Name: "registry", Keys: []string{"T"}, Help: "Go to the tools, or from there to the skills and instruction files", Terms: "tools, live, catalog, skills, instructions, AGENTS.md, files, drift"},
		},
		{
			zero: new(entries.Page), name: "Agents", next: "Lists", make: entriesOf(registry.KindAgent),
			key: screen.Key{Name: "agents", Keys: []string{"A"}, Help: "Go to the agents, or from there to the allow-lists", Terms: "allow-lists, lists, who may use it"},
		},
		{zero: new(entries.Page), name: "Lists", make: entriesOf(registry.KindList)},
		{zero: new(subject.Page)},
		{
			zero: new(auditlog.Page), name: "Log", last: true,
			key:  screen.Key{Name: "log", Keys: []string{"L"}, Help: "Go to the audit log", Terms: "audit, events, history"},
			make: func(s *deps) screen.Page { return auditlog.New(s.Context, s.shell, s.Registry, s.user.Restore) },
		},
		{zero: new(help.Page)},
		{
			zero: new(drafts.Page),
			key:  screen.Key{Name: "drafts", Keys: []string{"D"}, Help: "Show unsent drafts"},
			off:  func(cfg *Config) string { return unless(cfg.Drafts != "", "no folder for drafts is available") },
			make: func(s *deps) screen.Page {
				return drafts.New(s.Context, s.shell, s.Desk, drafts.Options{
					Folder: s.Drafts, Actor: s.Actor, Remote: s.Remote, NoEditor: s.editor.Missing, StoredIn: s.editor.StoredIn,
				})
			},
		},
		{
			zero: new(calls.Page), watched: true,
			key: screen.Key{Name: "calls", Keys: []string{"P"}, Help: "Show the calls that wait for you", Terms: "pending, requests, approvals"},
			off: func(cfg *Config) string { return unless(cfg.Calls != nil, "no gateway is available") },
			make: func(s *deps) screen.Page {
				if s.Calls == nil {
					return calls.New(s.Context, s.shell, nil, s.waitingText)
				}
				return calls.New(s.Context, s.shell, s.user, s.waitingText)
			},
			sign: func(p screen.Page, f screen.Frame) draw.Line {
				n := p.(*calls.Page).Waiting()
				if n == 0 {
					return nil
				}
				return draw.Of(f.Theme.Warn, draw.Escapef("● %s: P  ", wording.Count(n, "call waits", "calls wait")))
			},
		},
		{
			zero: new(servers.Page),
			key:  screen.Key{Name: "servers", Keys: []string{"H"}, Help: "Show which MCP servers of your clients are guarded", Terms: "mcp, guard, clients"},
			off:  func(cfg *Config) string { return unless(cfg.Servers != nil, "the clients are on another machine") },
			make: func(s *deps) screen.Page {
				return servers.New(s.Context, s.shell, pending.Tracked(s.ops, "Checking the guards of the servers", s.Servers), s.waitingText)
			},
		},
		{
			zero: new(files.Page), name: "Files", present: func(cfg *Config) bool { return cfg.Files != nil },
			make: func(s *deps) screen.Page {
				return files.New(s.Context, s.shell, pending.Tracked(s.ops, "Comparing skills and instruction files with their approved versions", s.Files), s.editor, s.waitingText)
			},
		},
	}
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}

// entriesOf returns a constructor for the page that lists live definitions of the given kind.
func entriesOf(kind registry.Kind) func(s *deps) screen.Page {
	return func(s *deps) screen.Page {
		return entries.New(s.Context, s.shell, s.Registry, entries.Options{
			Kind: kind, Layer: s.Layer, NoEditor: s.editor.Missing, Restore: s.user.Restore, Debounce: s.debounce,
		})
	}
}

// debounceDelay is the time for which the cursor must stay on a row before the page loads that row for the
// side pane.
const debounceDelay = 120 * time.Millisecond

func (s *deps) debounce(msg tea.Msg) tea.Cmd { return s.After(debounceDelay, msg) }

// roots creates the pages that exist as long as the workbench is running.
func (s *deps) roots() []navigation.Root {
	var all, last []navigation.Root
	for _, k := range pageKinds() {
		if k.make == nil {
			continue
		}
		r := navigation.Root{Page: k.make(s), Name: k.name, Key: k.key.Name, Watched: k.watched}
		if k.present != nil && !k.present(s.Config) {
			r.Name = ""
		}
		if k.sign != nil {
			r.Sign = func(f screen.Frame) draw.Line { return k.sign(r.Page, f) }
		}
		if k.last {
			last = append(last, r)
		} else {
			all = append(all, r)
		}
	}
	return append(all, last...)
}
