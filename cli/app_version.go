package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"toolcrib/review"
	"toolcrib/review/rules/ruleset"
)

type docVersionInfo struct {
	docHead
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Rules   string `json:"rules"`
	// Commit and CommittedAt are of the source that was built, where Go knew it.
	Commit      string `json:"commit,omitempty"`
	CommittedAt string `json:"committed_at,omitempty"`
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of toolcrib and its rules",
		Long: `Print the versions of toolcrib, Go, and the rules. Every assessment records the
rules' version: when it changes, proposals must be assessed again before
approval.`,
		Example: `  toolcrib version
  toolcrib version --json`,
		RunE: func(*cobra.Command, []string) error { return runVersion(a) },
	}
}

// runVersion also answers the flag --version.
func runVersion(a *app) error {
	doc := docVersionInfo{
		docHead: head("version"), Version: programVersion(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
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
	return a.print(doc, func(p *page) {
		p.linef("toolcrib %s (%s, %s/%s), rules %s", doc.Version, doc.Go, doc.OS, doc.Arch, doc.Rules)
	})
}

// release is the version that tools/release/build builds; the linker sets it.
var release string //nolint:gochecknoglobals // only a variable can be set by the linker

// programVersion is the version of the release, or else of the module that the
// program was built from.
func programVersion() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

func notFoundf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), review.ErrNotFound)
}
