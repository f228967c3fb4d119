// This file implements the trust and untrust commands for the configuration files of projects.

package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/proposals"
)

type docTrusted struct {
	settings.Trusted
	Now bool `json:"now"` // whether the file still has the content that was trusted
}

type docTrustList struct {
	output.Head
	Files []docTrusted `json:"files"`
}

func newTrust(a *command.App) *cobra.Command {
	var list, yes bool
	cmd := &cobra.Command{
		Use:  "trust [DIR | FILE]",
		Args: command.ArgsBetween(0, 1, "a folder or a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return listTrusted(a)
			}
			if err := ownsTrust(a); err != nil {
				return err
			}
			file := projectFile(a, args)
			text, err := settings.ReadConfig(file)
			switch {
			case settings.Missing(err):
				return fmt.Errorf("%s: %w: the file does not exist", file, settings.ErrNoTrust)
			case err != nil:
				return fmt.Errorf("configuration %s: %w", file, err)
			}
			if _, err := (&settings.Config{}).Decode(file, settings.FromProject, text); err != nil {
				return err
			}
			if !yes {
				yes, err := a.Confirm("Trust the current content of "+file+"?", func(p *output.Page) {
					p.Linef("%s:", file)
					p.Text("  ", string(text))
				})
				if err != nil || !yes {
					return cmp.Or(err, fmt.Errorf("%s: %w: you did not confirm", file, settings.ErrUntrusted))
				}
			}
			t, err := settings.Trust(a.Env, file, text)
			if err != nil {
				return err
			}
			doc := docTrustList{Head: output.NewHead("trust.list"), Files: []docTrusted{{t, true}}}
			return a.Print(doc, func(p *output.Page) { p.Linef("%s is trusted with its current content.", t.File) })
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the trusted files")
	cmd.Flags().BoolVar(&yes, "yes", false, "trust the file without asking")
	return cmd
}

func newUntrust(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "untrust [DIR | FILE]",
		Args: command.ArgsBetween(0, 1, "a folder or a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := ownsTrust(a); err != nil {
				return err
			}
			if err := settings.Untrust(a.Env, projectFile(a, args)); err != nil {
				return err
			}
			return listTrusted(a)
		},
	}
}

// ownsTrust returns ErrAuthority if the actor in --as is not the user of the account. A trusted file can weaken the
// protection of this user, so no other actor can trust files.
func ownsTrust(a *command.App) error {
	if a.Flags.As == "" {
		return nil
	}
	actor, err := proposals.ParseActor(a.Flags.As)
	if err != nil {
		return err
	}
	if user := (proposals.Actor{Kind: proposals.User, Name: process.LoginName(a.Env)}); actor != user {
		return fmt.Errorf("trust a project's file: %w: only %s can do this, not %s", proposals.ErrAuthority, user, actor)
	}
	return nil
}

// projectFile returns the path of a project's configuration file. args contains the path of the file or of its folder.
// If args is empty, projectFile searches the current folder and its parents, and returns the nearest configuration
// file.
func projectFile(a *command.App, args []string) string {
	if len(args) == 0 {
		if file := settings.FindUp(a.Env.Dir, settings.ConfigName); file != "" {
			return file
		}
		return a.Path(settings.ConfigName)
	}
	name := a.Path(args[0])
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return filepath.Join(name, settings.ConfigName)
	}
	return name
}

func listTrusted(a *command.App) error {
	list, _, err := settings.ReadTrusted(a.Env)
	if err != nil {
		return err
	}
	doc := docTrustList{Head: output.NewHead("trust.list"), Files: make([]docTrusted, len(list))}
	for i, t := range list {
		text, err := settings.ReadConfig(t.File)
		now := err == nil
		if now {
			_, current, err := settings.TrustMark(a.Env, t.File, text)
			now = err == nil && current.SHA256 == t.SHA256
		}
		doc.Files[i] = docTrusted{t, now}
	}
	return a.Print(doc, func(p *output.Page) {
		for _, t := range doc.Files {
			state := "unchanged"
			if !t.Now {
				state = "changed or deleted since then; no longer trusted"
			}
			p.Linef("%s  %s  %s", output.Timestamp(t.At), t.File, state)
		}
		if len(doc.Files) == 0 {
			p.Linef("No project files are trusted.")
		}
	})
}
