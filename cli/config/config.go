// Package config implements the commands that show the effective settings, manage the trust in project files, and
// test the approval policy.
package config

import (
	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/internal/lists"
)

// Family returns the config, trust, untrust, and policy commands.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newConfig},
			{Group: command.GroupOther, New: newTrust},
			{Group: command.GroupOther, New: newUntrust},
			{Group: command.GroupOther, New: newPolicy},
		},
		Documents: map[string]any{
			"config":      docConfig{},
			"policy.test": docPolicyTest{},
			"trust.list":  docTrustList{},
		},
	}
}

type docConfig struct {
	output.Head
	Settings []settings.Setting `json:"settings"`
	// UserFile and ProjectFile are the paths of the configuration files. The user file may not exist. ProjectFile is
	// absent if neither the current folder nor a parent folder contains a project file.
	UserFile    string   `json:"user_file"`
	ProjectFile string   `json:"project_file,omitempty"`
	Problems    []string `json:"problems"`
}

func newConfig(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "config",
		RunE: func(*cobra.Command, []string) error {
			c, err := settings.LoadConfig(a.Env, a.Flags.Overrides, a.Form.Accessible)
			if err != nil && c.Untrusted == nil {
				return err
			}
			doc := docConfig{
				Head: output.NewHead("config"), Settings: c.List(), UserFile: c.UserFile, ProjectFile: c.ProjectFile, Problems: []string{},
			}
			if c.Untrusted != nil {
				doc.Problems = append(doc.Problems, output.Sentence(c.Untrusted))
			}
			return a.PrintChecked(doc, len(doc.Problems) == 0, func(p *output.Page) {
				p.List(SettingHeader(), lists.Map(doc.Settings, settings.Setting.Row))
				for _, problem := range doc.Problems {
					p.Raw(p.Paint(output.InkBad, "problem") + "   " + output.Safe(problem))
				}
			})
		},
	}
}

func SettingHeader() []string { return []string{"SETTING", "VALUE", "FROM"} }
