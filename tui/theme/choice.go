package theme

import (
	"cmp"
	"slices"
)

// The names of themes, as the configuration has them.
const (
	NameDark     = "dark"
	NameLight    = "light"
	nameContrast = "high-contrast"
	nameOwn      = "own"
)

// Choice selects the theme: the user's, if the terminal supports it.
type Choice struct {
	Name    string // of the chosen theme; "" for one that follows the terminal
	Picked  bool   // it was chosen with a key, here or the last time
	Dark    bool   // the terminal's background, as far as is known
	Told    bool   // the terminal has told its background
	Sixteen bool   // the terminal has sixteen colours
	Plain   bool   // no colours
	Own     *Theme // of the user's own colours; nil for none
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

// current returns the name of the theme on the screen.
func (c *Choice) current() string {
	switch {
	case slices.Contains(c.Names(), c.Name):
		return c.Name
	case c.Dark && c.Name != NameLight:
		return NameDark
	}
	return NameLight
}

// Follows reports whether the background of the terminal matters.
func (c *Choice) Follows() bool { return c.Name == "" || c.Picked }

// Next chooses the next theme.
func (c *Choice) Next() {
	all := c.Names()
	c.Pick(all[(slices.Index(all, c.current())+1)%len(all)])
}

// Pick chooses a theme; "" keeps the current one.
func (c *Choice) Pick(name string) { c.Name, c.Picked = cmp.Or(name, c.current()), true }

// Theme returns the theme for the known properties of the terminal. One that has another
// background than the terminal, as far as is known, paints its own.
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
