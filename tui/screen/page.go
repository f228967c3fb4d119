// Package screen has what the pages of the workbench share: the frame they draw
// in, texts, lists and panes, the keys as they are declared, and the intents by
// which a page asks for what concerns the whole workbench. It knows neither the
// workbench nor any page.
package screen

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
)

// Page is a component that fills the screen below the bar. It keeps its own state
// and never reaches the workbench, but by the intents it returns.
type Page interface {
	// Place is the heading of its keys in the help and in docs/keys.md.
	Place() string
	// Keys lists its keys. They may be asked of a zero page, to be documented.
	Keys() []Key
	// Fit lays the page out for a size and a theme, before anything is drawn.
	Fit(f Frame)
	// Tabs draws the line below the bar, and View the body.
	Tabs() (left, right draw.Line)
	View() []string
	// Shown returns the pager it shows text in, nil for a list.
	Shown() *pager.Pager
	// Update takes in a message, which need not be for it.
	Update(msg tea.Msg) (Intent, tea.Cmd)
	// Reload reads what it shows again.
	Reload() tea.Cmd
	// Leave ends a search or another mode; false when it is in none.
	Leave() (tea.Cmd, bool)
	// Scroll moves by n lines or rows, Click selects a row of the body; x is the
	// column that the mouse is in.
	Scroll(x, n int) tea.Cmd
	Click(x, row int) tea.Cmd
	// See marks the text on the screen as seen.
	See()
}

// Rendered is the message that a text was laid out as Markdown meanwhile.
type Rendered struct{}

// Done is the message at the end of work of which only a failure is shown.
type Done struct{ Err error }

// Result is the answer of a command of a page: an action of that page alone, as long
// as it can be reached.
type Result struct {
	Page Page
	Do   Action
}

// Crumbed is a page that is reached from a list: the bar names both.
type Crumbed interface {
	// Listed names the list, and Crumb the shown entry, in so many cells.
	Listed() draw.Safe
	Crumb(room int) draw.Line
}

// OfProposal is a page whose keys act on a proposal.
type OfProposal interface {
	Current() (proposals.Proposal, bool)
}

// OfEntry is a page whose keys act on a tool, an agent or an allow-list.
type OfEntry interface{ Selected() (Entry, bool) }

// Filtered is a page with a list that can be narrowed.
type Filtered interface{ Filter() string }
