package cli

import (
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/review"
)

func newDocPolicy(of review.Settings) []settings.Setting {
	return output.Mapped(of, func(s review.Setting) settings.Setting {
		return settings.Setting{Key: s.Key, Value: s.Value, Source: s.From}
	})
}
