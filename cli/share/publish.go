// Package share implements the publish and follow commands, which share approvals between machines. The publish command
// writes the registry to a location that other machines can read. The follow command makes this machine use a published
// registry.
package share

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/command"
	"toolcrib/cli/export"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/cli/verify"
	"toolcrib/gateway/publish"
	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/bundle"
	"toolcrib/signing/checkpoint"
)

// Family returns the publish and follow commands.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newPublish},
			{Group: command.GroupRegistry, New: newFollow},
		},
		Documents: map[string]any{
			"follow":  command.DocFollowing{},
			"publish": docPublish{},
		},
	}
}

type docPublish struct {
	output.Head
	To      string `json:"to"`
	Events  int64  `json:"events"` // number of events in the published log
	Parts   int    `json:"parts"`
	Changed bool   `json:"changed"` // false if the current state was already published
}

func newPublish(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "publish [FOLDER | git:REPOSITORY]",
		Args: command.ArgsBetween(0, 1, "a folder, or git: and a repository"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Settings()
			if err != nil {
				return err
			}
			to := c.Publish
			if len(args) > 0 && isAddress(args[0]) {
				return process.Usagef("cannot publish to %q: use a folder or git:REPOSITORY; for a folder with a colon in its name, use ./%s", args[0], args[0])
			}
			if len(args) > 0 {
				to = settings.PublishConfig{To: settings.FollowAddress(a.Env.Dir, args[0])}
			}
			if to.Name() == "" {
				return process.Usagef("the target is missing: pass a folder or git:REPOSITORY, or set [publish] in %s", c.UserFile)
			}
			doc, err := publishTo(cmd.Context(), a, to)
			if err != nil {
				return err
			}
			return a.Print(doc, func(p *output.Page) {
				if !doc.Changed {
					p.Linef("Already published to %s: %s.", doc.To, output.Counted(int(doc.Events), "event"))
					return
				}
				p.Linef("Published to %s: %s of the log, %s.", doc.To, output.Counted(int(doc.Events), "event"), output.Counted(doc.Parts, "part"))
			})
		},
	}
}

// isAddress reports whether name, the name of a target, begins with a word and a colon, as a URL or a Git address does.
// It returns false for names that begin with "git:" or with the drive letter of a Windows path.
func isAddress(name string) bool {
	word, _, found := strings.Cut(name, ":")
	return found && word+":" != settings.GitTarget && !strings.ContainsAny(word, "/"+string(filepath.Separator)) && filepath.VolumeName(name) == ""
}

// Publish publishes the live registry to the configured target.
func Publish(ctx context.Context, a *command.App) error {
	_, err := publishTo(ctx, a, a.Config.Publish)
	return err
}

// publishTo publishes the live registry to target. If target is a Git repository or a command, publishTo first writes
// the registry to a local folder, and then transfers the content of this folder.
func publishTo(ctx context.Context, a *command.App, target settings.PublishConfig) (docPublish, error) {
	document, events, err := new(Publisher).Document(ctx, a)
	doc := docPublish{Head: output.NewHead("publish"), To: target.Name(), Events: events, Parts: len(document.Parts)}
	if err != nil {
		return doc, err
	}
	repository, git := strings.CutPrefix(target.To, settings.GitTarget)
	if target.To != "" && !git {
		doc.Changed, err = document.ToFolder(target.To)
		return doc, err
	}
	state, err := process.StateHome(a.Env)
	if err != nil {
		return doc, err
	}
	folder := filepath.Join(state, "toolcrib", "publish", registry.HashBytes([]byte(target.Name()))[:12])
	if doc.Changed, err = document.ToFolder(folder); err != nil {
		return doc, err
	}
	if git {
		return doc, publish.ToGit(ctx, repository, folder)
	}
	return doc, publish.Run(ctx, target.Command, folder, filepath.Dir(a.Config.UserFile))
}

// Publisher creates documents for publication. It caches the log and the definitions for the next document.
type Publisher struct {
	from     bundle.Collector
	log      *checkpoint.Log
	events   int64  // number of events in log
	database string // hash of the first event of log
}

// Document returns a document with the live registry, and the number of events in the log. If the user has a key for
// checkpoints, the document is signed.
func (p *Publisher) Document(ctx context.Context, a *command.App) (publish.Document, int64, error) {
	b, err := export.Bundle(ctx, a, &p.from)
	if err != nil {
		return publish.Document{}, 0, err
	}
	if p.log == nil || p.database != b.Database || p.events > b.Log.Seq {
		p.log, p.events, p.database = &checkpoint.Log{}, 0, b.Database
	}
	log := p.log
	err = checkpoints.Each(ctx, a.DB, p.events, func(e history.Event) error {
		if e.Seq > b.Log.Seq {
			return nil // newer than the bundle
		}
		p.events = e.Seq
		return log.Append(e.Hash)
	})
	if err != nil {
		return publish.Document{}, 0, err
	}
	cp := checkpoint.Checkpoint{Genesis: b.Database, Size: b.Log.Seq}
	if cp.Root, err = tlog.TreeHash(b.Log.Seq, log); err != nil {
		return publish.Document{}, 0, err
	}
	if cp.Calls.Seq, cp.Calls.Hash, err = a.DB.CallHash(ctx, 0); err != nil {
		return publish.Document{}, 0, err
	}
	b.Checkpoint = cp.Text()
	signer, err := verify.CheckpointSigner(a)
	if err != nil && !errors.Is(err, checkpoints.ErrNoKey) {
		return publish.Document{}, 0, err
	}
	if err == nil {
		signed, err := checkpoint.Sign(cp, signer)
		if err != nil {
			return publish.Document{}, 0, err
		}
		b.Checkpoint = string(signed)
	}
	document, err := publish.New(b, log)
	return document, b.Log.Seq, err
}
