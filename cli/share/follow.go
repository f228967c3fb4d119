// This file implements the follow command.

package share

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/follow"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
)

type followFlags struct {
	signers, token              string
	unsigned, yes, status, stop bool
}

func newFollow(a *command.App) *cobra.Command {
	var f followFlags
	cmd := &cobra.Command{
		Use:  "follow SOURCE | --status | --stop",
		Args: command.ArgsBetween(0, 1, "one source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (f.stop || f.status) && (len(args) > 0 || f.stop && f.status || f.signers+f.token != "" || f.unsigned):
				return process.Usagef("--status and --stop take no arguments and no other flags")
			case f.stop:
				return stopFollowing(a, f.yes)
			case f.status:
				return followStatus(cmd.Context(), a)
			case len(args) == 0:
				return process.Usagef("the source is missing: use a folder, a file, an https address, or git:REPOSITORY")
			case f.signers != "" && f.unsigned:
				return process.Usagef("--signers cannot be combined with --unsigned")
			}
			return startFollowing(cmd.Context(), a, args[0], f)
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.signers, "signers", "", "the `FILE` with the signers whom you trust, in the format allowed_signers (default: your signers file)")
	set.StringVar(&f.token, "token", "", "the `FILE` with a token of the server, if the source is toolcrib serve --bundle")
	set.BoolVar(&f.unsigned, "unsigned", false, "accept a registry without signatures")
	set.BoolVar(&f.yes, "yes", false, "follow or stop without asking")
	set.BoolVar(&f.status, "status", false, "check the source now and print the state of the copy")
	set.BoolVar(&f.stop, "stop", false, "stop following and delete the copy")
	return cmd
}

// startFollowing downloads and verifies the registry at source, and adds source to the user's configuration file.
func startFollowing(ctx context.Context, a *command.App, source string, flags followFlags) error {
	c, err := a.Settings()
	if err != nil {
		return err
	}
	f := c.Follow
	f.Source, f.Unsigned = settings.FollowAddress(a.Env.Dir, source), flags.unsigned
	if flags.signers != "" {
		f.Signers = a.Path(flags.signers)
	}
	if flags.token != "" {
		f.Token = a.Path(flags.token)
	}
	switch {
	case c.Follow.Source != "" && c.Follow.Source != f.Source:
		return fmt.Errorf("this machine follows %s; run toolcrib follow --stop first", c.Follow.Source)
	case c.Follow.Source != "" && c.Sources["follow.source"] != c.UserFile:
		return fmt.Errorf("%s sets the registry that this machine follows; only an administrator can change that file", c.Sources["follow.source"])
	}
	following, err := a.Follow(f)
	if err != nil {
		return err
	}
	if _, err := following.Update(ctx); errors.Is(err, follow.ErrAddress) {
		return process.Usagef("%v", err)
	} else if err != nil {
		return errors.Join(err, discardUnused(following, c))
	}
	doc, err := following.Describe(ctx, a.Env.Now())
	if err != nil {
		return err
	}
	if !flags.yes {
		yes, err := a.Confirm("Use the approvals of "+f.Source+" on this machine?", func(p *output.Page) { describe(p, doc) })
		if err != nil || !yes {
			return errors.Join(err, discardUnused(following, c))
		}
	}
	if err := editFollow(c.UserFile, &f); err != nil {
		return err
	}
	return a.Print(doc, func(p *output.Page) { describe(p, doc) })
}

// discardUnused deletes the copy of the registry if c does not specify a registry to follow.
func discardUnused(f *command.Following, c settings.Config) error {
	if c.Follow.Source != "" {
		return nil
	}
	return f.Copy.Remove()
}

func stopFollowing(a *command.App, yes bool) error {
	c, err := a.Settings()
	if err != nil {
		return err
	}
	switch {
	case c.Follow.Source == "":
		return errors.New("this machine follows no registry")
	case c.Sources["follow.source"] != c.UserFile:
		return fmt.Errorf("%s sets the registry that this machine follows; only an administrator can change that file", c.Sources["follow.source"])
	case !yes:
		yes, err := a.Confirm("Stop following "+c.Follow.Source+"? Guards then withhold every tool that is not approved in the database of this machine.", func(*output.Page) {})
		if err != nil || !yes {
			return err
		}
	}
	if err := editFollow(c.UserFile, nil); err != nil {
		return err
	}
	data, err := process.DataHome(a.Env)
	if err == nil {
		err = os.RemoveAll(filepath.Join(data, "toolcrib", "followed"))
	}
	return err
}

func followStatus(ctx context.Context, a *command.App) error {
	f, err := a.Following()
	if err != nil {
		return err
	}
	if f == nil {
		return fmt.Errorf("%w: this machine follows no registry; to follow one: toolcrib follow SOURCE", proposals.ErrNotFound)
	}
	_, _ = f.Update(ctx) // the document reports the error
	doc, err := f.Describe(ctx, a.Env.Now())
	if err != nil {
		return err
	}
	return a.PrintChecked(doc, doc.Problem == "", func(p *output.Page) { describe(p, doc) })
}

func describe(p *output.Page, doc command.DocFollowing) {
	p.Linef("follows    %s", doc.Source)
	p.Linef("copy       %s", doc.State())
	live := lists.Map(slices.Sorted(maps.Keys(doc.Live)), func(kind string) string { return fmt.Sprintf("%s %d", kind, doc.Live[kind]) })
	p.Linef("live       %s", strings.Join(live, ", "))
	if doc.Signed {
		p.Linef("signed     every version, by signers whom you trust")
	} else {
		p.Linef("unsigned   anyone who can write to the source decides what this machine runs")
	}
	if doc.Local {
		p.Linef("local      approvals in the database of this machine also apply")
	}
	if doc.Waiting > 0 {
		p.Linef("reports    %d waiting to be sent", doc.Waiting)
	}
	if r := doc.Refused; r != nil {
		p.Linef("refused    %s at %s: %s", output.Counted(r.Reports, "report"), r.At, output.FullStop(r.Reason))
	}
	if doc.Problem != "" {
		p.Linef("problem    %s", output.FullStop(doc.Problem))
	}
}

// followTable matches the [follow] table in a configuration file.
var followTable = regexp.MustCompile(`(?ms)^\[follow\][^\n]*\n(?:[^\[\n][^\n]*\n|\n)*`)

// editFollow replaces the [follow] table in a configuration file, or removes the table if f is nil.
func editFollow(file string, f *settings.FollowConfig) error {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	text = followTable.ReplaceAll(text, nil)
	if f != nil {
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = fmt.Appendf(text, "[follow]\nsource = %q\n", f.Source)
		for _, entry := range [][2]string{{"signers", f.Signers}, {"every", f.Every}, {"max_age", f.MaxAge}, {"token", f.Token}, {"local", f.Local}, {"calls", f.Calls}} {
			if key, value := entry[0], entry[1]; value != "" {
				text = fmt.Appendf(text, "%s = %q\n", key, value)
			}
		}
		if f.Unsigned {
			text = append(text, "unsigned = true\n"...)
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, text, atomicfile.Options{Mode: 0o600})
}
