package theme

import (
	"slices"
	"testing"
)

// TestChoice checks which theme each terminal gets, and that a key cycles through all themes.
func TestChoice(t *testing.T) {
	for want, c := range map[string]Choice{
		"dark":              {Dark: true},
		"light":             {},
		Sixteen(true).Name:  {Name: nameContrast, Dark: true, Sixteen: true},
		"plain":             {Name: NameDark, Plain: true},
		HighContrast().Name: {Name: nameContrast},
	} {
		if th := c.Theme(); th.Name != want {
			t.Errorf("%+v is %q, not %q", c, th.Name, want)
		}
	}
	c := Choice{Dark: true}
	var names []string
	for range 3 {
		c.Next()
		names = append(names, c.Name)
	}
	if want := []string{"light", "high-contrast", "dark"}; !slices.Equal(names, want) {
		t.Errorf("the key went through %v", names)
	}
	if picked := (&Choice{Name: NameDark, Picked: true}).Theme(); picked.Ground == "" {
		t.Error("a dark theme on a terminal that told nothing paints no background")
	}
}
