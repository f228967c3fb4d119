package cli

import (
	"strings"

	"toolcrib/review"
	"toolcrib/review/approval"
)

// fromProject is the origin of a setting that a project's file tightened.
const fromProject = approval.FromProject

// origins returns for each setting of a file, flag or variable the kind of source
// it comes from: what decisions record names no path of this machine.
func (c config) origins() map[string]string {
	kinds := map[string]string{}
	for key, source := range c.sources {
		switch {
		case source == c.userFile:
			kinds[key] = "user"
		case source == c.projectFile:
			kinds[key] = fromProject
		case source == c.systemFile():
			kinds[key] = "system"
		case strings.HasPrefix(source, "-"):
			kinds[key] = "flag"
		case source != "":
			kinds[key] = "environment"
		}
	}
	return kinds
}

func newDocPolicy(settings review.Settings) []docSetting {
	return mapped(settings, func(s review.Setting) docSetting { return docSetting{Key: s.Key, Value: s.Value, Source: s.From} })
}

// tellDeciding prints which settings of a project's file a decision depends on:
// others may be able to write that file.
func (a *app) tellDeciding(c config) {
	if s := c.policy().Settings().Deciding().From(fromProject); len(s) > 0 {
		a.note("toolcrib: decided under %s: %s", c.projectFile, stop(s.String()))
	}
}
