// Package database implements the commands for a whole database: doctor examines its settings and state, backup and
// migrate copy it, and drift compares it with the files of a workspace.
package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/config"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/cli/sign"
	"toolcrib/cli/verify"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/store"
	"toolcrib/store/pg"
)

// Family returns the backup, migrate, drift, and doctor commands.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newBackup},
			{Group: command.GroupRegistry, New: newMigrate},
			{Group: command.GroupRegistry, New: newDrift},
			{Group: command.GroupOther, New: newDoctor},
		},
		Documents: map[string]any{
			"backup":  docBackup{},
			"doctor":  docDoctor{},
			"drift":   docDrift{},
			"migrate": docMigrate{},
		},
	}
}

type docDoctor struct {
	output.Head
	OK        bool               `json:"ok"`
	Settings  []settings.Setting `json:"settings"`
	Actor     string             `json:"actor"`
	Database  string             `json:"database"`
	Mode      string             `json:"mode"`
	Bytes     int64              `json:"bytes"`
	SchemaNow int                `json:"database_schema"`
	Rules     string             `json:"rules_version"`
	Proposals map[string]int     `json:"proposals"`
	Problems  []string           `json:"problems"`
	// Server is present if the database is on a PostgreSQL server.
	Server *pg.Access `json:"server,omitempty"`
	// Signers is present if decisions are signed.
	Signers *sign.DocSigners `json:"signers,omitempty"`
	// Checkpoints is present if checkpoints are published.
	Checkpoints *verify.DocPublished `json:"checkpoints,omitempty"`
}

func newDoctor(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "doctor",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			defer func() { err = a.NamePages(ctx, err) }()
			c, err := settings.LoadConfig(a.Env, a.Flags.Overrides, a.Form.Accessible)
			if err != nil && c.Untrusted == nil {
				return err
			}
			a.Config = &c
			actor, err := a.Actor()
			if err != nil {
				return err
			}
			rulesNow, err := c.RulesVersion(a.Env)
			if err != nil {
				return err
			}
			doc := docDoctor{
				Head: output.NewHead("doctor"), Settings: c.List(), Actor: actor.String(), Database: store.DisplayName(c.DB),
				Rules: rulesNow, Proposals: map[string]int{}, Problems: []string{},
			}
			if c.Untrusted != nil {
				doc.Problems = append(doc.Problems, output.Sentence(c.Untrusted))
			}
			err = doc.examine(ctx, a)
			switch {
			case errors.Is(err, store.ErrNoDatabase): // still print the settings, which may explain the missing database
				doc.Problems = append(doc.Problems, output.Sentence(err))
			case err != nil:
				return err
			}
			doc.OK = len(doc.Problems) == 0
			if printed := a.Print(doc, func(p *output.Page) { writeDoctor(p, doc) }); printed != nil || err != nil {
				return errors.Join(printed, err)
			}
			return process.CheckFindings(doc.OK)
		},
	}
}

// examine adds the states of the database, of the signers, and of the published checkpoints to doc.
func (doc *docDoctor) examine(ctx context.Context, a *command.App) error {
	if store.IsURL(a.Config.DB) { // Examine works even if the login has no rights in the database
		found, err := pg.Examine(ctx, a.Config.DB)
		if err != nil {
			return err
		}
		found.Roles = append([]string{}, found.Roles...)
		doc.Server = &found
		doc.Problems = append(doc.Problems, found.Problems...)
	}
	db, err := a.Database(ctx)
	if err != nil {
		return err
	}
	health, err := db.Health(ctx)
	if err != nil {
		return err
	}
	doc.SchemaNow, doc.Proposals = health.Schema, health.Proposals
	doc.Problems = append(doc.Problems, health.Problems...)
	problem, err := a.ClockProblem(ctx, db)
	if err != nil {
		return err
	}
	if problem != "" {
		doc.Problems = append(doc.Problems, problem)
	}
	if !store.IsURL(a.Config.DB) {
		info, err := os.Stat(a.Config.DB)
		if err != nil {
			return err
		}
		doc.Mode, doc.Bytes = info.Mode().Perm().String(), info.Size()
		if problem := store.OpenToOthers(info.Mode()); problem != "" {
			doc.Problems = append(doc.Problems, problem)
		}
	}
	signers, err := sign.ExamineSigners(ctx, a)
	if err != nil {
		return err
	}
	if len(signers.States) > 0 || signers.Required {
		doc.Signers = &signers
		doc.Problems = append(doc.Problems, signers.Problems...)
	}
	if len(signers.States) > 0 && !signers.Required {
		doc.Problems = append(doc.Problems, fmt.Sprintf(
			"decisions in this database are signed, but the signatures are not checked when tools are used; to check them, set signatures = %q and signed_since = %q in %s",
			settings.SignaturesRequired, signers.States[0].EventHash, a.Config.UserFile))
	}
	untrusted, err := a.UntrustedText(ctx)
	if err != nil {
		return err
	}
	if untrusted != "" {
		doc.Problems = append(doc.Problems, untrusted)
	}
	doc.Problems = append(doc.Problems, a.Config.PolicyProblems(a.Env.Now())...)
	if a.Config.Checkpoints.Name() == "" {
		return nil
	}
	published, err := verify.Published(ctx, a)
	if err != nil {
		return err
	}
	doc.Checkpoints = &published
	if published.Decisions > 0 {
		doc.Problems = append(doc.Problems, fmt.Sprintf("%s not in a published checkpoint; run toolcrib checkpoint --publish", output.CountedIs(published.Decisions, "decision")))
	}
	publisher, err := verify.CheckpointPublisher(a)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, max(verify.PublishFor, a.Env.MinWait))
	defer cancel()
	if err := publisher.Check(ctx); err != nil {
		doc.Problems = append(doc.Problems, output.Sentence(err))
	}
	return nil
}

func writeDoctor(p *output.Page, doc docDoctor) {
	p.Table(config.SettingHeader(), lists.Map(doc.Settings, settings.Setting.Row))
	p.Blank()
	p.Linef("you are   %s", doc.Actor)
	if doc.Bytes > 0 {
		p.Linef("database  %s, %d bytes, mode %s, schema %d", doc.Database, doc.Bytes, doc.Mode, doc.SchemaNow)
	}
	if d := doc.Server; d != nil {
		transport := d.TLS
		switch {
		case d.Local:
			transport = "a local socket"
		case transport == "":
			transport = "no encryption"
		}
		p.Linef("database  %s, PostgreSQL %s, schema %d, %s", doc.Database, d.Version, doc.SchemaNow, transport)
		p.Linef("login     %s in %s, synchronous_commit %s", d.Login, strings.Join(d.Roles, ", "), d.SynchronousCommit)
		if !d.Trigrams {
			p.Linef("search    reads every row of the queue; to create an index, install the extension pg_trgm")
		}
	}
	if doc.Signers != nil {
		p.Linef("signers   %s in %s, state %d", output.Counted(len(doc.Signers.Signers), "key"), doc.Signers.File, len(doc.Signers.States))
	}
	if doc.Checkpoints != nil {
		p.Linef("checkpoints  %s", doc.Checkpoints.Text())
	}
	p.Linef("rules     %s", doc.Rules)
	for _, s := range proposals.States() {
		if n := doc.Proposals[string(s)]; n > 0 {
			p.Linef("          %s in %s", output.Counted(n, "proposal"), s)
		}
	}
	for _, problem := range doc.Problems {
		p.Raw(p.Paint(output.InkBad, "problem") + "   " + output.Safe(problem))
	}
	if doc.OK {
		p.Raw(p.Paint(output.InkGood, "sound") + "     the database engine found no problem in the file; toolcrib verify checks the content")
	}
}
