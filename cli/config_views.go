package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/visible"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/tui"
)

// maxViewName is the longest name of a view in characters: it is a tab.
const maxViewName = 20

// checkViews reads the filters of the configuration.
func (c *config) checkViews() error {
	for _, name := range c.viewOrder {
		if name == "" || utf8.RuneCountInString(name) > maxViewName || !visible.Clean(name) || strings.ContainsAny(name, "\n\t") {
			return fmt.Errorf("configuration: views.%q is no name of a view; write 1 to %d visible characters", name, maxViewName)
		}
		if _, err := filter.Parse(c.Views[name]); err != nil {
			return fmt.Errorf("configuration: views.%s: %s", name, err.Error()) // not a mistake of the command line
		}
	}
	return nil
}

// views returns the filters of the configuration, as its files list them.
func (c config) views() []tui.View {
	return mapped(c.viewOrder, func(name string) tui.View { return tui.View{Name: name, Filter: c.Views[name]} })
}

// applyView adds the filter of a view to a query.
func (a *app) applyView(q *review.Query, name string) error {
	if name == "" {
		return nil
	}
	c, err := a.settings()
	if err != nil {
		return err
	}
	if view, ok := c.Views[name]; ok {
		q.Filter = filter.Join(view, q.Filter)
		return nil
	}
	if len(c.Views) == 0 {
		return usagef("there is no view %q; name filters in %s, such as [views] and mine = \"author:mara state:open\"", name, c.userFile)
	}
	return usagef("there is no view %q; write %s", name, strings.Join(c.viewOrder, ", "))
}
