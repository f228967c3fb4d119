// Package queue implements the workbench page that lists proposals by state. The user can mark several
// proposals and decide them together.
package queue

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/queue/rows"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
	"toolcrib/tui/wording"
)

// Desk reads proposals.
type Desk interface {
	List(ctx context.Context, q review.Query) (review.Page, error)
	Counts(ctx context.Context) (map[proposals.State]int, error)
	Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error)
}

// Options configure the page.
type Options struct {
	Actor    proposals.Actor
	Views    []View
	NoEditor func() string // returns why texts cannot be edited, or ""
	Remote   bool          // the user's terminal is on a different machine than the workbench
	// Extents reads the numbers of lines that the given proposals add and remove. If Extents is nil, the column
	// for these numbers stays empty.
	Extents func(ctx context.Context, ids []proposals.ID) (map[proposals.ID]review.Extent, error)
	// AddView records that the side pane has shown the given proposals completely. The pages of these proposals and
	// the dialogs of decisions then treat the proposals as read. AddView may be nil.
	AddView func(ds []review.Dossier, unread func(proposals.ID) (unread, missing []string))
	// Debounce returns a command that sends msg after the debounce delay.
	Debounce func(msg tea.Msg) tea.Cmd
}

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	screen.Drafter
	Open(p proposals.Proposal, sameTab bool) tea.Cmd
	OpenSet(p proposals.Proposal) tea.Cmd
	OpenWaiting() tea.Cmd
	OpenNumber(number string) tea.Cmd
	Decide(act proposals.Act, ps []proposals.Proposal) tea.Cmd
}

// Page lists proposals, newest first by default. It loads the list in chunks with keyset pagination, starting at
// the beginning of the list. If the user jumps to the end, it starts at the end instead.
type Page struct {
	screen.List
	Options
	list  list
	Marks markSet // proposals that the user decides together

	shell   Shell
	ctx     context.Context //nolint:containedctx // Bubble Tea's commands receive no context
	desk    Desk
	content PreviewContent // content of the side pane
	extents extents
	err     error
}

// New returns a page without rows. Reload loads the rows.
func New(ctx context.Context, sh Shell, desk Desk, o Options) *Page {
	return &Page{shell: sh, ctx: ctx, desk: desk, Options: o, extents: extents{read: o.Extents}, list: list{criteria: criteria{views: o.Views}, Rows: rows.New()}}
}

// Current implements screen.ProposalPage.
func (q *Page) Current() (proposals.Proposal, bool) { return q.list.current() }

// Filter implements screen.Filtered.
func (q *Page) Filter() string { return q.list.filter }

// Rows implements screen.CursorPage.
func (q *Page) Rows() int { return q.list.height }

// Waiting returns a query for the proposals that wait for the user, with the order and the filter of the list.
func (q *Page) Waiting() review.Query {
	return review.Query{State: proposals.UserReview, Filter: q.list.fullFilter(), Order: q.list.order, Limit: 2}
}

// WaitingText describes the number of proposals that wait for the user, for other pages.
func (q *Page) WaitingText() string {
	return "The queue (Q) has " + wording.Count(q.list.counts[proposals.UserReview], "proposal that waits", "proposals that wait") + " for you."
}

// Place implements screen.Page.
func (q *Page) Place() string { return "Queue" }

// Keys implements screen.Page.
func (q *Page) Keys() []screen.Key {
	mark := func(step int) func() tea.Cmd { // marks the selected row, moves the cursor, and marks the new row
		return func() tea.Cmd {
			q.Marks.markRow(&q.list)
			defer q.Marks.markRow(&q.list)
			return q.Move(step)
		}
	}
	tab := func(step int) func() tea.Cmd {
		return func() tea.Cmd { n := len(q.list.tabList()); return q.SelectTab((q.list.tab + step + n) % n) }
	}
	sort := func(step int) func() tea.Cmd {
		return func() tea.Cmd { q.list.sort(step); return q.readFrom(false) }
	}
	return slices.Concat([]screen.Key{
		{Name: "open", Keys: []string{"enter", "right", "l"}, Label: "open", Help: "Open the selected proposal", Do: func() tea.Cmd { p, _ := q.list.current(); return q.shell.OpenSet(p) }, Disabled: q.list.noneSelected},
		{Name: "approve-marked", Keys: []string{"a"}, Label: "approve", Help: "Approve the marked proposals together, or the selected one", Terms: "accept, merge, publish, go live, ok, yes", Do: q.decide(proposals.ActApprove), Disabled: q.cannotDecide(proposals.ActApprove)},
		{Name: "needs-changes-marked", Keys: []string{"c"}, Label: "send back", Help: "Send back the marked proposals, or the selected one, with a reason", Terms: "send back, request changes, return", Do: q.decide(proposals.ActRequestChanges), Disabled: q.cannotDecide(proposals.ActRequestChanges)},
		{Name: "reject-marked", Keys: []string{"x"}, Label: "reject", Help: "Reject the marked proposals, or the selected one, with a reason", Terms: "decline, refuse, deny, no", Do: q.decide(proposals.ActReject), Disabled: q.cannotDecide(proposals.ActReject)},
		{Name: "mark", Keys: []string{"space", "+"}, Label: "mark", Help: "Mark or unmark the row, and move down", Do: func() tea.Cmd { q.Marks.toggleRow(&q.list); return q.Move(1) }, Disabled: func() string { return q.Marks.cannotMark(&q.list) }},
		{Name: "mark-down", Keys: []string{"shift+down"}, Help: "Mark this row and the row below, and move there", Terms: "select several, range, extend", Do: mark(1), Disabled: func() string { return q.Marks.cannotMark(&q.list) }},
		{Name: "mark-up", Keys: []string{"shift+up"}, Help: "Mark this row and the row above, and move there", Do: mark(-1), Disabled: func() string { return q.Marks.cannotMark(&q.list) }},
		{Name: "mark-range", Keys: []string{"v"}, Help: "Start or end a range: moving the selection marks rows", Terms: "select several, extend", Do: func() tea.Cmd { return q.Marks.toggleRange(&q.list, q.shell) }, Disabled: q.list.noneSelected},
		{Name: "mark-all", Keys: []string{"*"}, Help: "Mark all listed proposals that wait for you, or unmark them", Do: func() tea.Cmd { return q.Marks.toggleAll(&q.list, q.shell) }, Disabled: func() string { return q.Marks.cannotMarkAll(&q.list.Rows) }},
		{Name: "next-state", Keys: []string{"tab"}, Label: "next state", Help: "Show the next state", Do: tab(1)},
		{Name: "previous-state", Keys: []string{"shift+tab"}, Help: "Show the previous state", Do: tab(-1)},
		{Name: "fold-set", Keys: []string{"F"}, Label: "fold", UndoLabel: "unfold", Undoes: func() bool { r, _ := q.list.At(q.list.cursor); return r.Folded() }, Late: screen.Always, Help: "List the members of the selected change set, or fold the set to one row", Terms: "expand, collapse, group, set", Do: q.fold, Disabled: q.list.cannotFold},
		{Name: "filter", Keys: []string{"/"}, Label: "filter", Help: "Filter by text, number, state, author, rule and more", Terms: "find, search, grep, views", Do: q.askFilter},
		{Name: "sort", Keys: []string{"o"}, Label: "sort", Late: screen.Always, Help: "Sort by newest, oldest, worst finding, subject, author", Terms: "order, newest, oldest, risk", Do: sort(1)},
		{Name: "sort-back", Keys: []string{"O"}, Help: "Go back to the previous order", Do: sort(-1)},
		{Name: "next-waiting", Keys: []string{"."}, Help: "Open the next proposal that waits for you, in list order", Do: q.openWaiting},
		screen.NewKey(q.shell, q.NoEditor),
		screen.CopyKey(q.shell, q.reference, q.list.noneSelected),
	}, paneKeys(q), screen.ListKeys(q))
}

// reference returns the name of the selected row in filters and commands: the number of a proposal, or "set:" and
// the name of a folded set.
func (q *Page) reference() string {
	r, _ := q.list.At(q.list.cursor)
	if r.Folded() {
		return "set:" + r.First().ChangeSet
	}
	return wording.Reference(r.First())
}

// openWaiting opens the next proposal that waits for the user, starting with the selected proposal.
func (q *Page) openWaiting() tea.Cmd {
	if p, ok := q.list.current(); ok && p.State == proposals.UserReview {
		return q.shell.OpenSet(p)
	}
	return q.shell.OpenWaiting()
}

// decide returns a function that opens the dialog for a decision on the marked proposals or, if none are marked, on
// the selected row. act is the kind of decision.
func (q *Page) decide(act proposals.Act) func() tea.Cmd {
	return func() tea.Cmd {
		ps := q.Marks.targets(&q.list)
		if act == proposals.ActApprove && len(q.Marks.List) == 0 {
			ps = ps[:1] // an approval includes the other members of the set in any case
		}
		return q.shell.Decide(act, ps)
	}
}

// cannotDecide returns a function that returns the reason why act is unavailable, or "".
func (q *Page) cannotDecide(act proposals.Act) func() string {
	return func() string {
		ps := q.Marks.targets(&q.list)
		if len(ps) == 0 {
			return "no proposal is selected"
		}
		for _, p := range ps {
			if err := proposals.Authorize(q.Actor, act, p.Author); err != nil {
				return err.Error()
			}
		}
		if len(q.Marks.List) > 0 {
			return ""
		}
		if len(ps) > maxMarks && act != proposals.ActApprove {
			return "more than " + strconv.Itoa(maxMarks) + " proposals; enter opens the set, where you can decide on all of them"
		}
		for _, p := range ps {
			if p.State != proposals.UserReview {
				return wording.NotPermitted(p.State)
			}
		}
		return ""
	}
}

// Fit implements screen.Page.
func (q *Page) Fit(f screen.Frame) {
	q.Frame, q.list.height = f, f.Body-1 // the column headings take the first line
	if q.list.hasFilter() {
		q.list.height--
	}
	if n := q.list.heightBelow(f); n > 0 {
		q.list.height -= n + 1
	}
	q.list.height = max(1, q.list.height)
	q.list.clamp()
}

// paneKeys returns the keys of the side pane. On a narrow screen, the pane is below the list, and the only
// possible change is to hide it.
func paneKeys(q *Page) []screen.Key {
	keys := slices.Concat(screen.PaneKeys(q.shell, q), screen.PreviewKeys(q))
	hidden := func() string {
		if q.Frame.By.Zoomed {
			return "the pane is hidden; z shows it"
		}
		return ""
	}
	for i := range keys {
		switch keys[i].Name {
		case "zoom":
			keys[i].Disabled = q.list.noneSelected
		case "preview-down", "preview-up":
			keys[i].Disabled = hidden
		}
	}
	return keys
}

// cannotFold returns the reason why the change set of the selected row cannot be folded or unfolded, or "".
func (l *list) cannotFold() string {
	p, ok := l.current()
	switch {
	case !ok:
		return "no proposal is selected"
	case l.Flat:
		return "sets can be folded only if the list is sorted by time or findings"
	case p.ChangeSet == "":
		return "not a member of a change set"
	}
	return ""
}

// fold folds the change set of the selected row to a single row, or unfolds it into its members.
func (q *Page) fold() tea.Cmd {
	p, _ := q.list.current()
	q.list.restoreID = p.ID
	q.list.Fold(p.ChangeSet)
	q.list.restore()
	q.Fit(q.Frame) // the height of a pane below the list depends on the number of rows
	return q.follow()
}

// Escape implements screen.Page. It ends a range of marks. If no range is active, it clears the filter.
func (q *Page) Escape() (tea.Cmd, bool) {
	if q.Marks.endRange() {
		return nil, true
	}
	if q.list.filter == "" {
		return nil, false
	}
	return q.SetFilter(""), true
}

// Scroll implements screen.Page.
func (q *Page) Scroll(x, n int) tea.Cmd {
	if q.Frame.InSide(x) {
		q.Preview.Scroll(n)
		return nil
	}
	return q.Move(n)
}

// Click implements screen.Page.
func (q *Page) Click(x, row int) tea.Cmd {
	if q.Frame.InSide(x) {
		return nil
	}
	if q.list.hasFilter() {
		row-- // the filter line takes a line above the column headings
	}
	return q.Move(q.list.top + row - q.list.cursor)
}

// Update implements screen.Page.
func (q *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Counted:
		if msg.Err == nil {
			q.list.counts = msg.Counts
			if msg.Filter == q.list.filter {
				q.list.tabCounts = msg.Tabs
			}
		}
	case Debounced:
		if p, ok := q.list.current(); ok && p.ID == msg.ID {
			return func() tea.Msg {
				d, err := q.desk.Show(q.ctx, q.Actor, p.ID)
				g := PreviewContent{ID: p.ID, Dossier: d, Problems: wording.SubmitProblems(d), Err: err}
				before, after := d.Change()
				if err == nil && len(before.Definition.Canonical())+len(after.Definition.Canonical())+len(before.Source)+len(after.Source) <= screen.MaxPreview {
					g.Changes = difflist.NewNarrow(diff.Contents(before, after)).Collapse(seen.SkipReasons(d), false)
				}
				return g
			}
		}
	case PreviewContent:
		if p, _ := q.list.current(); msg.Err != nil || msg.ID != p.ID {
			return nil
		}
		if msg.Changes == nil && q.content.ID == msg.ID && q.content.Dossier.Digest == msg.Dossier.Digest {
			msg.Changes = q.content.Changes // this read did not include the changes, so keep the known changes
		}
		q.content = msg
	}
	return nil
}

// Select moves the cursor to the proposal with the given ID, if its row is loaded.
func (q *Page) Select(id proposals.ID) tea.Cmd {
	q.list.restoreID = id
	q.list.restore()
	q.list.clamp()
	return tea.Batch(q.Fill(), q.extents.measure(q.ctx, q.list.visible(), q))
}

// Reload implements screen.Page. It reloads the list from the beginning to at least the end of the viewport.
func (q *Page) Reload() tea.Cmd {
	if p, ok := q.list.current(); ok {
		q.list.restoreID = p.ID
	}
	query := q.list.query("")
	query.Limit = (q.list.needed() + rows.Chunk) / rows.Chunk * rows.Chunk
	return tea.Batch(q.Count(), q.read(query))
}

// LoadFirst loads the rows for the first frame.
func (q *Page) LoadFirst() tea.Cmd {
	query := q.list.query("")
	if q.list.restoreID == "" { // if the cursor returns to a certain row, load a whole chunk to find this row
		query.Limit = q.Frame.Body
	}
	return q.read(query)
}

// MoveToEnd implements screen.CursorPage. It reloads the list from the requested end if that end is not loaded.
func (q *Page) MoveToEnd(bottom bool) tea.Cmd {
	if bottom != q.list.Backward && !q.list.Complete() {
		return q.readFrom(bottom)
	}
	if bottom {
		return q.Move(q.list.Total())
	}
	return q.Move(-q.list.Total())
}

// Move implements screen.CursorPage.
func (q *Page) Move(n int) tea.Cmd {
	q.list.cursor += n
	q.Preview.Reset()
	q.list.clamp()
	q.Marks.extendRange(&q.list.Rows, q.list.cursor)
	return q.follow()
}

// follow loads the rows and details that the viewport and the side pane need after the cursor or the rows have
// changed.
func (q *Page) follow() tea.Cmd {
	return tea.Batch(q.Fill(), q.extents.measure(q.ctx, q.list.visible(), q), q.debounce())
}

// Returned implements screen.Returning. It loads the selected proposal for the side pane, because the selection may
// have changed while another page was on screen.
func (q *Page) Returned() tea.Cmd {
	if p, ok := q.list.current(); ok && q.content.shows(p) {
		return nil
	}
	return q.debounce()
}

// debounce loads the selected proposal for the side pane after the cursor has stayed on its row for the debounce
// delay.
func (q *Page) debounce() tea.Cmd {
	r, ok := q.list.At(q.list.cursor)
	if !ok || r.Folded() || q.list.previewFrame(q.Frame).Side == 0 { // the pane needs no more data for a folded set
		return nil
	}
	return q.Debounce(Debounced{r.First().ID})
}
