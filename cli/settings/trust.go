package settings

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

	"toolcrib/cli/process"
	"toolcrib/internal/atomicfile"
)

// trusted is a project's file that the user trusts, with its content then. Each
// has a file of its own in the user's state folder, outside of every project,
// named by the path and the content: a change of the file ends the trust.
type trusted struct {
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"` // of its content
	At     time.Time `json:"at"`
}

// ErrNoTrust is wrapped when there is no file to trust.
var ErrNoTrust = errors.New("nothing to trust")

func trustFolder(env process.Env) (string, error) {
	state, err := process.StateHome(env)
	return filepath.Join(state, "toolcrib", "trusted"), err
}

// TrustMark names the file that records the user's trust of text in file.
func TrustMark(env process.Env, file string, text []byte) (mark string, t trusted, err error) {
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
func isTrusted(env process.Env, file string, text []byte) (bool, error) {
	mark, _, err := TrustMark(env, file, text)
	if err != nil {
		return false, err
	}
	info, err := os.Lstat(mark)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o022 == 0, err
}

// ProjectName returns the project that a toolcrib.toml in dir names, "" for none, and
// whether the user trusts that file.
func ProjectName(env process.Env, dir string) (name string, trusted bool, err error) {
	file := filepath.Join(dir, ConfigName)
	text, err := ReadConfig(file)
	if Missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("configuration %s: %w", file, err)
	}
	var c Config
	if _, err := c.Decode(file, text); err != nil {
		return "", false, err
	}
	trusted, err = isTrusted(env, file, text)
	return c.Project, trusted, err
}

// Trust keeps the user's trust of text in file.
func Trust(env process.Env, file string, text []byte) (trusted, error) {
	mark, t, err := TrustMark(env, file, text)
	if err != nil {
		return t, err
	}
	t.At = env.Now().UTC().Truncate(time.Second)
	return t, atomicfile.WriteJSON(mark, t)
}

// Untrust takes the trust of a file back, of whatever content.
func Untrust(env process.Env, file string) error {
	list, marks, err := ReadTrusted(env)
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

// ReadTrusted returns what the user trusts, by file, and where each is recorded.
func ReadTrusted(env process.Env) (list []trusted, marks []string, err error) {
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
