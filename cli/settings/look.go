package settings

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/tui/theme"
)

// workbenchConfig is how the workbench looks.
type workbenchConfig struct {
	// Colors are those of the theme "own", by their names: "#rrggbb". base names the theme
	// that they change, dark or light.
	Colors map[string]string `toml:"colors"`
}

// looks are the names of themes.
var looks = []string{"dark", "light", "high-contrast", "own"}

// checkLook reports a theme that there is not, and colours that cannot be read.
func (c *Config) checkLook() error {
	if c.Theme != "" && !slices.Contains(looks, c.Theme) {
		return fmt.Errorf("configuration: theme is %q; write %s", c.Theme, strings.Join(looks, ", "))
	}
	_, err := c.Own()
	return err
}

// Own returns the theme of the user's own colours, nil where there are none.
func (c *Config) Own() (*theme.Theme, error) {
	if len(c.Workbench.Colors) == 0 {
		return nil, nil //nolint:nilnil // there are no colours
	}
	th, err := theme.Own(c.Workbench.Colors)
	if err != nil {
		return nil, fmt.Errorf("configuration: workbench.colors: %w", err)
	}
	return &th, nil
}
