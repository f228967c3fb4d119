// Package publish writes a registry as files that other machines can follow: an index, parts with their hashes as
// names, and tiles with the hashes of the log. The files can be distributed by a server of static files, by Git, or by
// a program that copies a folder. docs/signing-format.md specifies the format. Package follow reads the files.
package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/gateway/follow"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/lists"
	"toolcrib/internal/proc"
	"toolcrib/review/bundle"
	"toolcrib/signing/checkpoint"
)

// Document is the published form of a registry.
type Document struct {
	Index []byte
	Parts map[string][]byte // uncompressed parts, keyed by hash
	index bundle.Index
	log   *checkpoint.Log
}

// New returns the document for a bundle. The checkpoint in the bundle's header must be a checkpoint of log.
func New(b bundle.Bundle, log *checkpoint.Log) (Document, error) {
	d := Document{log: log}
	var err error
	if d.index, d.Parts, err = b.Split(); err != nil {
		return d, err
	}
	d.Index, err = d.index.Encode()
	return d, err
}

// File returns the content of the published file with the given name. The error wraps fs.ErrNotExist if the document
// does not contain the file.
func (d Document) File(name string) ([]byte, error) {
	if name == follow.IndexFile {
		return d.Index, nil
	}
	hash, _ := strings.CutPrefix(strings.TrimSuffix(name, ".gz"), follow.PartsDir+"/")
	if part, ok := d.Parts[hash]; ok && name == follow.PartFile(hash) {
		return follow.Compress(part), nil
	}
	tile, err := tlog.ParseTilePath(name)
	if err == nil && tile.H == follow.TileHeight && tile.L >= 0 {
		data, err := tlog.ReadTileData(tile, d.log)
		if err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// ToFolder writes the files of the document to dir, the index last. It removes parts that neither the new nor the
// previous index lists. The parts of the previous index remain, because a follower may be reading them. ToFolder
// returns an error if dir contains another registry or a newer state of the same registry. It reports whether the index
// has changed.
func (d Document) ToFolder(dir string) (changed bool, err error) {
	if err := os.MkdirAll(filepath.Join(dir, follow.PartsDir), 0o755); err != nil { //nolint:gosec // a file server must be able to read it
		return false, err
	}
	var before bundle.Index
	index := filepath.Join(dir, follow.IndexFile)
	switch old, err := os.ReadFile(index); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	case string(old) == string(d.Index):
		return false, nil
	default:
		if before, err = bundle.DecodeIndex(old); err != nil {
			return false, fmt.Errorf("%s: %w; publish to another folder, or remove this file", index, err)
		}
		if before.Database != d.index.Database {
			return false, fmt.Errorf("%s belongs to another registry (%.12s, not %.12s); publish to another folder, or remove this file", index, before.Database, d.index.Database)
		}
		if before.Log.Seq > d.index.Log.Seq {
			return false, fmt.Errorf("%s is newer than the database: its log has %d events, and the log of the database has %d", index, before.Log.Seq, d.index.Log.Seq)
		}
	}
	write := func(name string, data []byte) error {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(file); err == nil && name != follow.IndexFile {
			return nil // parts and tiles never change
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // a file server must be able to read it
			return err
		}
		return atomicfile.Write(file, data, atomicfile.Options{Mode: 0o644})
	}
	for hash, part := range d.Parts {
		if err := write(follow.PartFile(hash), follow.Compress(part)); err != nil {
			return false, err
		}
	}
	for _, tile := range tlog.NewTiles(follow.TileHeight, before.Log.Seq, d.index.Log.Seq) {
		data, err := tlog.ReadTileData(tile, d.log)
		if err != nil {
			return false, err
		}
		if err := write(tile.Path(), data); err != nil {
			return false, err
		}
	}
	if err := write(follow.IndexFile, d.Index); err != nil {
		return false, err
	}
	parts, _ := os.ReadDir(filepath.Join(dir, follow.PartsDir))
	for _, e := range parts {
		hash := strings.TrimSuffix(e.Name(), ".gz")
		if _, used := d.Parts[hash]; !used && !slices.Contains(before.Parts, hash) {
			_ = os.Remove(filepath.Join(dir, follow.PartsDir, e.Name())) // the next call tries again
		}
	}
	return true, nil
}

// Folder is the placeholder in a command for the folder to copy.
const Folder = "{}"

// Run runs a command that copies the files in folder to the place where they are published. The command runs in the
// working directory dir.
func Run(ctx context.Context, command []string, folder, dir string) error {
	args := lists.Map(command, func(arg string) string { return strings.ReplaceAll(arg, Folder, folder) })
	out, err := proc.Exchange(ctx, args, dir, nil, 64<<10)
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		return fmt.Errorf("%s: %w: %s", args[0], err, said)
	}
	return nil
}

// ToGit commits the files in folder to the branch follow.Branch of a repository. It does not change the index and the
// working tree of the repository. If the repository has a remote named origin, ToGit pushes the branch to it.
func ToGit(ctx context.Context, repository, folder string) error {
	g := repo{dir: repository, folder: folder, index: filepath.Join(filepath.Dir(folder), "git-index")}
	defer os.Remove(g.index) //nolint:errcheck // the next call replaces the file
	if _, err := g.run(ctx, "add", "--all", "--force", "."); err != nil {
		return err
	}
	tree, err := g.run(ctx, "write-tree")
	if err != nil {
		return err
	}
	const ref = "refs/heads/" + follow.Branch
	tip, err := g.run(ctx, "for-each-ref", "--format=%(objectname) %(tree)", ref)
	if err != nil {
		return err
	}
	made, was, _ := strings.Cut(tip, " ")
	if was != tree {
		args := []string{"commit-tree", tree, "-m", "Publish the approved registry"}
		if made != "" {
			args = append(args, "-p", made)
		}
		commit, err := g.run(ctx, args...)
		if err != nil {
			return err
		}
		if _, err := g.run(ctx, "update-ref", "-m", "toolcrib publish", ref, commit, made); err != nil {
			return err
		}
	}
	remotes, err := g.run(ctx, "remote")
	if err == nil && slices.Contains(strings.Fields(remotes), "origin") {
		_, err = g.run(ctx, "push", "--quiet", "origin", ref)
	}
	return err
}

// repo runs git in the repository dir. The working tree is folder, and the index file is a separate file.
type repo struct{ dir, folder, index string }

func (r repo) run(ctx context.Context, args ...string) (string, error) {
	gitDir, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(gitDir, ".git")); err == nil {
		gitDir = filepath.Join(gitDir, ".git")
	}
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsync=all", "-c", "core.autocrlf=false", "--git-dir", gitDir, "--work-tree", r.folder}, args...)...)
	cmd.Dir = r.folder
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_SSH") }),
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_INDEX_FILE="+r.index,
		"GIT_AUTHOR_NAME=toolcrib", "GIT_AUTHOR_EMAIL=toolcrib@localhost", "GIT_COMMITTER_NAME=toolcrib", "GIT_COMMITTER_EMAIL=toolcrib@localhost")
	out, err := proc.Collect(cmd, 1<<20)
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], r.dir, err, said)
	}
	return strings.TrimSpace(string(out.Stdout)), nil
}
