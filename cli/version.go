package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/review/rules/ruleset"
)

type docVersionInfo struct {
	output.Head
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Rules   string `json:"rules"`
	// Commit and CommittedAt are of the source that was built, where Go knew it.
	Commit      string `json:"commit,omitempty"`
	CommittedAt string `json:"committed_at,omitempty"`
}

func newVersion(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		RunE: func(*cobra.Command, []string) error { return runVersion(a) },
	}
}

// runVersion also answers the flag --version.
func runVersion(a *command.App) error {
	doc := docVersionInfo{
		Head: output.NewHead("version"), Version: process.ProgramVersion(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Rules: ruleset.Version(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				doc.Commit = s.Value
			case "vcs.time":
				doc.CommittedAt = s.Value
			}
		}
	}
	return a.Print(doc, func(p *output.Page) {
		p.Linef("toolcrib %s (%s, %s/%s), rules %s", doc.Version, doc.Go, doc.OS, doc.Arch, doc.Rules)
	})
}
