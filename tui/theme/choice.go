package theme

import (
	"cmp"
	"slices"
)

// Names of themes in the configuration.
const (
	NameDark     = "dark"
	NameLight    = "light"
	nameContrast = "high-contrast"
	nameOwn      = "own"
)

// Choice selects the theme from the user's choice and the properties of the terminal.
type Choice struct {
	Name    string // chosen theme; "" follows the terminal
	Picked  bool   // chosen with a key, in this run or an earlier one
	Dark    bool   // the terminal's background is dark, as far as known
	Told    bool   // the terminal has reported its background
	Sixteen bool   // the terminal has 16 colors
	Plain   bool   // no colors
	Own     *Theme // built from the user's colors; nil for none
}

// Names returns the themes that this terminal supports.
func (c *Choice) Names() []string {
	all := []string{NameDark, NameLight}
	if !c.Sixteen {
		all = append(all, nameContrast)
		if c.Own != nil {
			all = append(all, nameOwn)
		}
	}
	return all
}

// current returns the name of the current theme.
func (c *Choice) current() string {
	switch {
	case slices.Contains(c.Names(), c.Name):
		return c.Name
	case c.Dark && c.Name != NameLight:
		return NameDark
	}
	return NameLight
}

// Follows reports whether the theme depends on the terminal's background.
func (c *Choice) Follows() bool { return c.Name == "" || c.Picked }

// Next selects the next theme.
func (c *Choice) Next() {
	all := c.Names()
	c.Pick(all[(slices.Index(all, c.current())+1)%len(all)])
}

// Pick selects a theme by name; "" keeps the current one.
func (c *Choice) Pick(name string) { c.Name, c.Picked = cmp.Or(name, c.current()), true }

// Theme returns the theme to use in this terminal. If its background differs from the terminal's known background,
// the theme paints its own.
func (c *Choice) Theme() Theme {
	var th Theme
	name := c.current()
	switch {
	case c.Plain:
		th = Plain()
	case c.Sixteen:
		th = Sixteen(name == NameDark)
	case name == nameContrast:
		th = HighContrast()
	case name == nameOwn:
		th = *c.Own
	case name == NameDark:
		th = Dark()
	default:
		th = Light()
	}
	same := c.Told && c.Dark == th.Dark || !c.Picked
	if same && (name == NameDark || name == NameLight) {
		th.Ground = ""
	}
	return th
}
