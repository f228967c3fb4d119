package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What wrapping and unwrapping are refused for.
var (
	// ErrChanged is for a file that somebody wrote in between.
	ErrChanged = errors.New("the file changed in between")
	// ErrWrapped is for a wrapped file to which servers were added.
	ErrWrapped = errors.New("already wrapped, with servers added since")
	// ErrNotWrapped is for a file without a record of its original.
	ErrNotWrapped = errors.New("not wrapped by toolcrib")
	// ErrLink is for a file that is elsewhere than its path says.
	ErrLink = errors.New("a symbolic link leads out of the folder")
	// ErrBackup is for a backup that is missing or was changed.
	ErrBackup = errors.New("the backup is missing or damaged")
)

// Keeper wraps and unwraps files on the disk. Beside a wrapped file it keeps a
// backup, which holds the secrets that the file holds and which only the owner
// can read, and a record with the digests of both.
type Keeper struct {
	Now func() time.Time
	// FollowLinks writes to where a symbolic link leads (File.Target); without
	// it such a file is refused.
	FollowLinks bool
}

// Change is an edit that was worked out and not written yet.
type Change struct {
	Path   string // the file to write, with symbolic links followed
	Backup string // the file for the replaced content
	Before File
	After  File

	record record
	fresh  bool // the backup and the record are to be made
	undo   bool // they are to be taken away
	exact  bool // the file is byte for byte as before it was wrapped
}

// None reports whether there is nothing to write.
func (c Change) None() bool { return !c.undo && bytes.Equal(c.Before.data, c.After.data) }

// record describes a file before it was wrapped.
type record struct {
	Schema   int       `json:"schema"`
	Client   string    `json:"client"`
	At       time.Time `json:"at"`
	Entry    string    `json:"entry"`
	Original string    `json:"original_sha256"`
	Wrapped  string    `json:"wrapped_sha256"`
	Backup   string    `json:"backup"` // its name; it is in the same folder
}

// The names of the files beside a client's file. No client reads files that end
// so.
const (
	recordEnd = ".toolcrib"
	backupEnd = ".bak"
)

// Wrap works out a file with its servers replaced by an entry.
func (k Keeper) Wrap(f File, e Entry) (Change, error) {
	at, err := k.target(f)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: at, Before: f}
	kept, err := readRecord(at)
	if err != nil && !errors.Is(err, ErrNotWrapped) {
		return Change{}, err
	}
	ours, added := 0, []string(nil)
	for _, s := range f.Servers {
		if s.Name == e.Name {
			ours++
		} else {
			added = append(added, s.Name)
		}
	}
	switch {
	case err == nil && kept.Original != digest(f.data) && ours > 0 && len(added) > 0:
		return Change{}, fmt.Errorf("%s: %w: %s; unwrap it first", f.Path, ErrWrapped, strings.Join(added, ", "))
	case err == nil && kept.Original != digest(f.data) && ours > 0:
		c.record = kept // another entry in place of the first
	default:
		now := k.Now().UTC()
		name := filepath.Base(at) + recordEnd + "-" + now.Format("20060102T150405.000000Z") + backupEnd
		c.fresh, c.record = true, record{1, f.Client, now, e.Name, digest(f.data), "", name}
	}
	c.Backup = filepath.Join(filepath.Dir(at), c.record.Backup)
	after, err := f.Wrap(e)
	if err != nil {
		return Change{}, err
	}
	c.record.Wrapped = digest(after)
	c.After, err = Parse(f.Client, f.Path, after)
	return c, err
}

// Unwrap works out the original file. A file that changed since it was wrapped is
// refused, unless its changes are to be kept: then only its servers are restored.
func (k Keeper) Unwrap(f File, keepChanges bool) (Change, error) {
	at, err := k.target(f)
	if err != nil {
		return Change{}, err
	}
	kept, err := readRecord(at)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: at, Backup: filepath.Join(filepath.Dir(at), kept.Backup), Before: f, record: kept, undo: true, exact: true}
	if digest(f.data) == kept.Original { // the write did not happen, or somebody restored it
		c.After = f
		return c, nil
	}
	data, target, err := readFile(c.Backup)
	if err != nil || target != c.Backup || digest(data) != kept.Original {
		return Change{}, errors.Join(fmt.Errorf("%s: %w", c.Backup, ErrBackup), err)
	}
	if c.After, err = Parse(f.Client, f.Path, data); err != nil || digest(f.data) == kept.Wrapped {
		return c, err
	}
	if !keepChanges {
		return Change{}, fmt.Errorf("%s: %w: it is not as it was wrapped on %s", f.Path, ErrChanged, kept.At.Format(time.RFC3339))
	}
	for _, s := range f.Servers {
		if s.Name != kept.Entry {
			return Change{}, fmt.Errorf("%s: %w: %s would be lost", f.Path, ErrWrapped, s.Name)
		}
	}
	after, err := f.Restore(&c.After)
	if err != nil {
		return Change{}, err
	}
	c.exact = false
	c.After, err = Parse(f.Client, f.Path, after)
	return c, err
}

// target returns the file to write.
func (k Keeper) target(f File) (string, error) {
	if f.Target != "" && !k.FollowLinks {
		return "", fmt.Errorf("%s: %w, to %s", f.Path, ErrLink, f.Target)
	}
	return filepath.EvalSymlinks(f.Path)
}

// Apply writes a change: the backup, the record, and then the file, each in one
// step that survives a crash. Wherever it is cut off, the file is whole and
// Unwrap knows what to do. A file that is not Before any more is refused.
func (k Keeper) Apply(c Change) error {
	if c.None() {
		return nil
	}
	named := c.Path + recordEnd
	if c.fresh {
		if err := writeNew(c.Backup, c.Before.data); err != nil {
			return err
		}
	}
	if !c.undo {
		text, err := json.MarshalIndent(c.record, "", "  ")
		if err == nil {
			err = ReplaceFile(named, append(text, '\n'), nil)
		}
		if err != nil {
			return err
		}
	}
	if err := ReplaceFile(c.Path, c.After.data, c.Before.data); err != nil {
		if c.fresh {
			err = errors.Join(err, os.Remove(named), os.Remove(c.Backup))
		}
		return err
	}
	if !c.undo {
		return nil
	}
	err := os.Remove(named)
	if c.exact {
		err = errors.Join(err, os.Remove(c.Backup))
	}
	return err
}

// readRecord reads the record of a file. It trusts none of it: the backup is in
// the same folder under the file's own name.
func readRecord(at string) (record, error) {
	name := at + recordEnd
	data, target, err := readFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return record{}, fmt.Errorf("%s: %w", at, ErrNotWrapped)
	case err != nil:
		return record{}, err
	case target != name:
		return record{}, fmt.Errorf("%s: %w, to %s", name, ErrLink, target)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, fmt.Errorf("%s: %w; %s is not unwrapped without it", name, err, filepath.Base(at))
	}
	if filepath.Base(r.Backup) != r.Backup || !strings.HasPrefix(r.Backup, filepath.Base(at)+recordEnd+"-") || !strings.HasSuffix(r.Backup, backupEnd) {
		return record{}, fmt.Errorf("%s: %w: it names %q", name, ErrBackup, r.Backup)
	}
	return r, nil
}
