// This file reads, restores, and removes the files of skills and instructions.

package instructions

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"toolcrib/internal/plaintext"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// ErrFile indicates that a skill or a file cannot be read. Other files in the folder are not affected.
var ErrFile = errors.New("cannot be read")

// Limits of a skill: the nesting of its folders, and the number of entries in each folder.
const (
	maxDepth  = 24
	maxFolder = 2 * registry.MaxFiles // files and folders
)

// reader reads a skill or an instruction file.
type reader struct {
	root  *os.Root
	kind  registry.Kind
	files map[string]registry.File
	size  int64
}

// read returns the skill or the instruction file p. The keys of Files are paths relative to a skill, or the name of a
// single file.
func read(root *os.Root, kind registry.Kind, p string) (registry.Folder, error) {
	r := &reader{root: root, kind: kind, files: map[string]registry.File{}}
	folder := registry.Folder{Path: p, Files: r.files}
	if kind == registry.KindSkill {
		return folder, r.tree(p, "", 0)
	}
	info, err := root.Lstat(p)
	if err != nil {
		return folder, wrap(p, err)
	}
	f, err := r.file(p, info)
	if err == nil && f.Link != "" {
		f, err = r.linked(p, f)
	}
	r.files[path.Base(p)] = f
	return folder, err
}

// linked returns the file p, a link, with the content of the link's target. f is the link.
func (r *reader) linked(p string, f registry.File) (registry.File, error) {
	info, err := r.root.Stat(p)
	if err != nil {
		return f, wrap(p, fmt.Errorf("the target of the link, %s, is not a file in the searched folder: %w", jsondoc.Quote(f.Link), err))
	}
	target, err := r.content(p, info)
	target.Link, target.Executable = f.Link, false
	return target, err
}

// tree reads the folder dir and its subfolders. The path dir is relative to top, the folder of the skill.
func (r *reader) tree(top, dir string, depth int) error {
	at := path.Join(top, dir)
	if depth > maxDepth {
		return wrap(at, fmt.Errorf("the folder is nested more than %d levels deep", maxDepth))
	}
	entries, err := readDir(r.root, at)
	if err != nil {
		return wrap(at, err)
	}
	if len(entries) > maxFolder {
		return wrap(at, fmt.Errorf("the folder contains more than %d files and folders", maxFolder))
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		info, err := entry.Info()
		if err != nil {
			return wrap(path.Join(top, name), err)
		}
		if info.IsDir() {
			if entry.Name() == ".git" {
				continue
			}
			if err := r.tree(top, name, depth+1); err != nil {
				return err
			}
			continue
		}
		if len(r.files) == registry.MaxFiles {
			return wrap(top, fmt.Errorf("the skill contains more than %d files", registry.MaxFiles))
		}
		f, err := r.file(path.Join(top, name), info)
		if err != nil {
			return err
		}
		r.files[name] = f
	}
	return nil
}

// readDir returns the entries of the folder dir. It returns at most maxFolder+1 entries.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxFolder + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// file reads the regular file p. If p is a link, it returns the target of the link instead of content.
func (r *reader) file(p string, info fs.FileInfo) (registry.File, error) {
	if problem := plaintext.Problem(p); problem != "" {
		return registry.File{}, wrap(p, errors.New("the name "+problem))
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := r.root.Readlink(p)
		if err != nil {
			return registry.File{}, wrap(p, err)
		}
		return registry.File{Link: strings.ReplaceAll(target, string(os.PathSeparator), "/")}, nil
	case !info.Mode().IsRegular():
		return registry.File{}, wrap(p, fmt.Errorf("the path is %s; only files, folders and links can be approved", describeType(info.Mode())))
	case info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return registry.File{}, wrap(p, errors.New("the file runs as another user (setuid or setgid); remove the setuid or setgid bit"))
	}
	return r.content(p, info)
}

// content reads the regular file p, following links.
func (r *reader) content(p string, info fs.FileInfo) (registry.File, error) {
	data, err := r.bytes(p, info)
	return registry.NewFile(r.kind, p, data, info.Mode()&0o111 != 0), err
}

// bytes returns the content of the regular file p, following links. It returns an error if the file changed since info
// was read.
func (r *reader) bytes(p string, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, wrap(p, fmt.Errorf("the path is %s; only files, folders and links can be approved", describeType(info.Mode())))
	}
	if r.size += info.Size(); r.size > registry.MaxFolder {
		return nil, wrap(p, fmt.Errorf("the files exceed the total limit of %d bytes", registry.MaxFolder))
	}
	opened, err := r.root.Open(p)
	if err != nil {
		return nil, wrap(p, err)
	}
	defer opened.Close()
	if now, err := opened.Stat(); err != nil || !os.SameFile(now, info) {
		return nil, wrap(p, cmp.Or(err, errors.New("the file was replaced during the read; try again")))
	}
	data, err := io.ReadAll(io.LimitReader(opened, info.Size()+1))
	if err != nil {
		return nil, wrap(p, err)
	}
	if int64(len(data)) != info.Size() {
		return nil, wrap(p, errors.New("the file changed during the read; try again"))
	}
	return data, nil
}

// describeType describes the type of a file that is not a regular file.
func describeType(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a file"
}

// wrap adds the file name p to an error. It quotes the name, which may contain control characters.
func wrap(p string, err error) error {
	if of, ok := err.(*fs.PathError); ok { //nolint:errorlint // only an unwrapped PathError contains the path again
		err = of.Err
	}
	return fmt.Errorf("%s %w: %w", jsondoc.Quote(p), ErrFile, err)
}

// ErrNotKept indicates that the content of a binary file is not stored, because only the hash of the file was approved.
var ErrNotKept = errors.New("the content of the file is not stored, because an earlier version of toolcrib stored only the hash; copy the file from its source and propose it again (toolcrib import --files)")

// Restore writes the named files of f, an approved skill or instruction file, below dir. It replaces each file
// atomically, and replaces links rather than following them. If a file cannot be written, Restore continues with the
// other files and returns all errors. content must return the content of the binary file with the given SHA-256 hash,
// or false if the content is not stored.
func Restore(dir string, kind registry.Kind, f registry.Folder, files []string, content func(sha256 string) ([]byte, bool, error)) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // write closes the restored files
	base := f.Path
	if kind == registry.KindInstructions {
		base = path.Dir(f.Path)
	}
	var errs []error
	for _, name := range files {
		if err := restore(root, path.Join(base, name), f.Files[name], content); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", jsondoc.Quote(path.Join(base, name)), err))
		}
	}
	return errors.Join(errs...)
}

// Remove deletes the named files of the skill f below dir, and folders of the skill that become empty. It does not follow
// links.
func Remove(dir string, f registry.Folder, files []string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // Remove does not open files
	var errs []error
	for _, name := range files {
		p := path.Join(f.Path, name)
		if err := plainFolders(root, path.Dir(p)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", jsondoc.Quote(p), err))
			continue
		}
		if err := root.Remove(p); err != nil {
			errs = append(errs, err)
			continue
		}
		for parent := path.Dir(p); parent != f.Path && strings.HasPrefix(parent, f.Path); parent = path.Dir(parent) {
			if root.Remove(parent) != nil {
				break // the folder is not empty
			}
		}
	}
	return errors.Join(errs...)
}

func restore(root *os.Root, p string, f registry.File, content func(string) ([]byte, bool, error)) error {
	data, ok := f.Bytes()
	if f.Binary() {
		var err error
		if data, ok, err = content(f.SHA256); err != nil {
			return err
		}
	}
	if !ok && f.Link == "" {
		return ErrNotKept
	}
	if err := plainFolders(root, path.Dir(p)); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(p), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if f.Executable {
		mode = 0o755
	}
	now, err := root.Lstat(p)
	switch {
	case err == nil && now.IsDir():
		return errors.New("is a folder; move the folder away first")
	case err == nil && now.Mode().IsRegular():
		mode = now.Mode().Perm()&^0o111 | mode&0o111&(now.Mode().Perm()>>2|0o100)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	next := path.Join(path.Dir(p), ".toolcrib-"+rand.Text())
	if f.Link != "" {
		err = root.Symlink(f.Link, next)
	} else {
		err = write(root, next, data, mode)
	}
	if err == nil {
		err = root.Rename(next, p)
	}
	if err != nil {
		if rest := root.Remove(next); !errors.Is(rest, fs.ErrNotExist) {
			err = errors.Join(err, rest)
		}
	}
	return err
}

// write creates the file at path, writes data to it, and syncs it. The caller renames the file.
func write(root *os.Root, path string, data []byte, mode fs.FileMode) error {
	out, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Chmod(mode) // the umask may have restricted the mode
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// plainFolders returns an error if dir or one of its parents is not a folder. A link to a folder is an error, too.
func plainFolders(root *os.Root, dir string) error {
	at := ""
	for element := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, element)
		info, err := root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is not a plain folder; toolcrib does not write through links", jsondoc.Quote(at))
		}
	}
	return nil
}
