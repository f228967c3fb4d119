// The state of the page that the workbench restores at its next start.

package entries

import "toolcrib/tui/screen"

// Left implements screen.Resumed.
func (r *Page) Left() screen.Left {
	left := screen.Left{Filter: r.filter}
	if e, ok := r.Selected(); ok {
		left.Row = e.Subject.String()
	}
	return left
}

// Resume implements screen.Resumed.
func (r *Page) Resume(left screen.Left) { r.filter, r.want = left.Filter, left.Row }
