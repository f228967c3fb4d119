package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/internal/atomicfile"
	"toolcrib/proposals"
)

type docTrusted struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	At     string `json:"at"`
	Now    bool   `json:"now"` // the file is still as it was
}

type docTrustList struct {
	docHead
	Files []docTrusted `json:"files"`
}

func newTrust(a *app) *cobra.Command {
	var list, yes bool
	cmd := &cobra.Command{
		Use:   "trust [DIR | FILE]",
		Short: "Trust the current content of a project's toolcrib.toml",
		Long: `Show a project's toolcrib.toml (the nearest one by default) and trust it after
you confirm. Without trust, such a file can only tighten the settings that
protect you; db, workspace, chief, keys, servers, gateway, model, reviewers,
and policy in it are refused. Trust applies to the content: a changed file is no
longer trusted.`,
		Example: `  toolcrib trust --yes novel
  toolcrib trust --list`,
		Args: between(0, 1, "a folder or a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return a.listTrusted()
			}
			if err := a.ownsTrust(); err != nil {
				return err
			}
			return a.trust(args, yes)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the trusted files")
	cmd.Flags().BoolVar(&yes, "yes", false, "trust it without a prompt")
	return cmd
}

func newUntrust(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "untrust [DIR | FILE]",
		Short: "Stop trusting a project's toolcrib.toml",
		Long: `Stop trusting a project's toolcrib.toml (the nearest one by default). Its
settings that need trust are refused again.`,
		Example: `  toolcrib untrust novel`,
		Args:    between(0, 1, "a folder or a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.ownsTrust(); err != nil {
				return err
			}
			file := a.projectFile(args)
			if err := untrust(a.env, file); err != nil {
				return err
			}
			return a.listTrusted()
		},
	}
}

// ownsTrust returns ErrAuthority unless the user of this account acts: trusted
// files decide what protects that user.
func (a *app) ownsTrust() error {
	if a.flags.as == "" {
		return nil
	}
	actor, err := proposals.ParseActor(a.flags.as)
	if err != nil {
		return err
	}
	if user := (proposals.Actor{Kind: proposals.User, Name: loginName(a.env)}); actor != user {
		return fmt.Errorf("trust a project's file: %w: only %s may, and not %s", proposals.ErrAuthority, user, actor)
	}
	return nil
}

// projectFile is the configuration that args name, or the nearest.
func (a *app) projectFile(args []string) string {
	if len(args) == 0 {
		if file := findUp(a.env.Dir, configName); file != "" {
			return file
		}
		return a.path(configName)
	}
	name := a.path(args[0])
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return filepath.Join(name, configName)
	}
	return name
}

func (a *app) trust(args []string, yes bool) error {
	file := a.projectFile(args)
	text, err := readConfig(file)
	switch {
	case missing(err):
		return fmt.Errorf("%s: %w: there is no such file", file, errNoTrust)
	case err != nil:
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	if _, err := (&config{}).decode(file, text); err != nil {
		return err
	}
	if !yes {
		if a.form.json || !a.env.InTerminal || !a.env.OutTerminal {
			return usagef("read %s, then trust it with: toolcrib trust --yes %s", file, shellWord(file))
		}
		yes, err := a.confirm("Trust this file as it is?", func(p *page) {
			p.linef("%s:", file)
			p.text("  ", string(text))
		})
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("%s: %w: it was not trusted", file, errUntrusted)
		}
	}
	t, err := trust(a.env, file, text)
	if err != nil {
		return err
	}
	doc := docTrustList{docHead: head("trust.list"), Files: []docTrusted{{t.File, t.SHA256, timestamp(t.At), true}}}
	return a.print(doc, func(p *page) { p.linef("%s is trusted as it is now.", t.File) })
}

func (a *app) listTrusted() error {
	list, _, err := readTrusted(a.env)
	if err != nil {
		return err
	}
	doc := docTrustList{docHead: head("trust.list"), Files: make([]docTrusted, len(list))}
	for i, t := range list {
		text, err := readConfig(t.File)
		now := err == nil
		if now {
			_, current, err := trustMark(a.env, t.File, text)
			now = err == nil && current.SHA256 == t.SHA256
		}
		doc.Files[i] = docTrusted{t.File, t.SHA256, timestamp(t.At), now}
	}
	return a.print(doc, func(p *page) {
		for _, t := range doc.Files {
			state := "as it was trusted"
			if !t.Now {
				state = "changed or gone since; not trusted as it is"
			}
			p.linef("%s  %s  %s", t.At, t.File, state)
		}
		if len(doc.Files) == 0 {
			p.linef("You trust no project's file.")
		}
	})
}

// trusted is a project's file that the user trusts, with its content then. Each
// has a file of its own in the user's state folder, outside of every project,
// named by the path and the content: a change of the file ends the trust.
type trusted struct {
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"` // of its content
	At     time.Time `json:"at"`
}

// errNoTrust is wrapped when there is no file to trust.
var errNoTrust = errors.New("nothing to trust")

func trustFolder(env Env) (string, error) {
	state, err := stateHome(env)
	return filepath.Join(state, "toolcrib", "trusted"), err
}

// trustMark names the file that records the user's trust of text in file.
func trustMark(env Env, file string, text []byte) (mark string, t trusted, err error) {
	dir, err := trustFolder(env)
	if err != nil {
		return "", t, err
	}
	if t.File, err = filepath.EvalSymlinks(file); err != nil {
		return "", t, err
	}
	sum := sha256.Sum256(text)
	t.SHA256 = hex.EncodeToString(sum[:])
	name := sha256.Sum256([]byte(t.File + "\x00" + t.SHA256))
	return filepath.Join(dir, hex.EncodeToString(name[:])), t, nil
}

// isTrusted reports whether the user trusts text in file. A mark that others
// could have written does not count.
func isTrusted(env Env, file string, text []byte) (bool, error) {
	mark, _, err := trustMark(env, file, text)
	if err != nil {
		return false, err
	}
	info, err := os.Lstat(mark)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o022 == 0, err
}

// trust keeps the user's trust of text in file.
func trust(env Env, file string, text []byte) (trusted, error) {
	mark, t, err := trustMark(env, file, text)
	if err != nil {
		return t, err
	}
	t.At = env.Now().UTC().Truncate(time.Second)
	return t, atomicfile.WriteJSON(mark, t)
}

// untrust takes the trust of a file back, of whatever content.
func untrust(env Env, file string) error {
	list, marks, err := readTrusted(env)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(file); err == nil { // the file may be gone
		file = real
	}
	for i, t := range list {
		if t.File == file {
			err = errors.Join(err, os.Remove(marks[i]))
		}
	}
	return err
}

// readTrusted returns what the user trusts, by file, and where each is recorded.
func readTrusted(env Env) (list []trusted, marks []string, err error) {
	dir, err := trustFolder(env)
	if err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	found := map[string]trusted{}
	for _, e := range entries {
		var t trusted
		mark := filepath.Join(dir, e.Name())
		body, err := os.ReadFile(mark)
		if err != nil || json.Unmarshal(body, &t) != nil {
			return nil, nil, fmt.Errorf("%s is not what toolcrib trust writes; remove it", mark)
		}
		found[mark] = t
		marks = append(marks, mark)
	}
	slices.SortFunc(marks, func(a, b string) int { return strings.Compare(found[a].File+a, found[b].File+b) })
	for _, mark := range marks {
		list = append(list, found[mark])
	}
	return list, marks, nil
}
