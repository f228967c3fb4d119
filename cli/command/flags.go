package command

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/internal/lists"
	"toolcrib/review"
)

// Flags contains the global flags. The flags for the output format are in App.Form.
type Flags struct {
	settings.Overrides
	As     string
	DryRun bool
}

// Register adds the global flags to set.
func (a *App) Register(set *pflag.FlagSet) {
	f, form := &a.Flags, &a.Form
	set.Func("as", "act as `ACTOR`: user:NAME, agent:NAME or chief:NAME (default: user and the login name)", func(actor string) error {
		if actor == "" { // an unset shell variable in --as "$ACTOR" must not select the logged-in user
			return errors.New("use user:NAME, agent:NAME, or chief:NAME")
		}
		f.As = actor
		return nil
	})
	set.StringVar(&f.DB, "db", "", "database `FILE` (default: $TOOLCRIB_DB, or $XDG_DATA_HOME/toolcrib/toolcrib.db)")
	set.StringVar(&f.Project, "project", "", "work in the project `NAME`, which overrides the user layer and the global layer")
	set.StringVar(&f.Workspace, "workspace", "", "write approved versions as files to the folder `DIR`")
	set.BoolVar(&form.JSON, "json", false, "print one JSON document")
	set.Func("jq", "filter the JSON output with the jq `PROGRAM`, such as '.proposals[].id'", form.SetJQ)
	set.BoolVar(&form.NoPager, "no-pager", false, "print long texts without a pager (so does PAGER=cat)")
	set.BoolVar(&form.NoColor, "no-color", false, "print without colors (so does a non-empty NO_COLOR)")
	set.BoolVar(&f.DryRun, "dry-run", false, "do not write, delete, trust, start, or send anything; some commands reject this flag")
	set.BoolVar(&form.Accessible, "accessible", false, "for screen readers: show the workbench as plain lines, and print lists as sentences")
	set.SortFlags = false
}

// NoteFlags are the flags for a note, which can be given on the command line, in a file, or on standard input.
type NoteFlags struct{ text, file string }

// Register adds the flags to set.
func (n *NoteFlags) Register(set *pflag.FlagSet) {
	set.StringVar(&n.text, "note", "", "the reason, or a note for the record")
	set.StringVar(&n.file, "note-file", "", "read the note from `FILE`, - for standard input")
}

// Read returns the note that the flags specify, or "" if they are not set.
func (n *NoteFlags) Read(ctx context.Context, a *App) (string, error) {
	if n.file == "" {
		return n.text, nil
	}
	if n.text != "" {
		return "", process.Usagef("--note cannot be combined with --note-file")
	}
	b, err := a.ReadAll(ctx, n.file)
	return strings.TrimSpace(string(b)), err
}

// CheckPageLimit returns a usage error if n is not a valid number of entries per page.
func CheckPageLimit(n int) error {
	if n < 1 || n > review.MaxPage {
		return process.Usagef("--limit must be between 1 and %d (got %d)", review.MaxPage, n)
	}
	return nil
}

// ExactArgs returns a function that requires exactly n arguments. usage describes the arguments in the error message.
func ExactArgs(n int, usage string) cobra.PositionalArgs { return ArgsBetween(n, n, usage) }

// AtLeastOneArg returns a function that requires at least one argument. usage describes the arguments in the error
// message.
func AtLeastOneArg(usage string) cobra.PositionalArgs { return ArgsBetween(1, math.MaxInt, usage) }

// ArgsBetween returns a function that requires at least low and at most high arguments. usage describes the arguments
// in the error message.
func ArgsBetween(low, high int, usage string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= low && len(args) <= high {
			return nil
		}
		hint := ""
		if len(args) == 0 && strings.Contains(usage, "proposal") {
			hint = " (in a shell, #1 begins a comment; use 1 or '#1')"
		}
		return process.Usagef("%s takes %s; got %s%s", cmd.CommandPath(), usage, output.Counted(len(args), "argument"), hint)
	}
}

// OnlySubcommands returns an error that lists the subcommands of cmd if args contains another word.
func OnlySubcommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	known := lists.Map(cmd.Commands(), (*cobra.Command).Name)
	return process.Usagef("unknown subcommand %q of %s: use %s", args[0], cmd.CommandPath(), strings.Join(known, ", "))
}

// ParseTime parses a time in the format RFC 3339 and converts it to UTC. It returns the zero time for "".
func ParseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, process.Usagef("%q is not a time: use a form such as 2026-11-20T23:42:00Z", s)
	}
	return t.UTC(), nil
}

// ParseVersion parses the number of a version, such as 3 or v3.
func ParseVersion(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	if err != nil || n < 1 {
		return 0, process.Usagef("%q is not a version: use a positive number", s)
	}
	return n, nil
}
