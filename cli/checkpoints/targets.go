// This file implements the two targets of checkpoints: a branch of a Git repository, and a program.

package checkpoints

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/internal/proc"
	"toolcrib/signing/checkpoint"
)

// Git is a Target that publishes checkpoints as commits on a branch of a repository, which may be bare. It uses neither
// the index nor a working tree, and moves the branch with compare-and-swap. If the repository has a remote named
// origin, Git also pushes the branch to that remote.
type Git struct {
	Dir     string
	Genesis string
}

const (
	branchPrefix = "toolcrib-checkpoints/"
	noteFile     = "checkpoint"
	remote       = "origin"
)

// Branch returns the name of the branch for the log.
func (g Git) Branch() string { return branchPrefix + g.Genesis[:12] }

func (g Git) ref() string { return "refs/heads/" + g.Branch() }

// Newest implements Target.
func (g Git) Newest(ctx context.Context) ([]byte, bool, error) {
	tip, err := g.tip(ctx)
	if err != nil || tip == "" {
		return nil, true, err
	}
	signed, err := g.note(ctx, tip)
	return signed, true, err
}

func (g Git) note(ctx context.Context, commit string) ([]byte, error) {
	out, err := g.git(ctx, "", "cat-file", "blob", commit+":"+noteFile)
	return []byte(out), err
}

// tip returns the newest commit of the branch, or "" if the branch does not exist.
func (g Git) tip(ctx context.Context) (string, error) {
	out, err := g.git(ctx, "", "for-each-ref", "--format=%(objectname)", g.ref())
	return strings.TrimSpace(out), err
}

// Publish implements Target.
func (g Git) Publish(ctx context.Context, signed, newest []byte) error {
	c, err := checkpoint.Read(signed)
	if err != nil {
		return err
	}
	tip, err := g.tip(ctx)
	if err != nil {
		return err
	}
	if tip != "" {
		there, err := g.note(ctx, tip)
		if err != nil {
			return err
		}
		if !bytes.Equal(there, newest) {
			return errMoved
		}
		if old, err := checkpoint.Read(there); err == nil && old == c {
			return g.push(ctx, tip) // an earlier push of the commit may have failed
		}
	}
	made, err := g.commit(ctx, signed, fmt.Sprintf("Checkpoint of %d events", c.Size), tip)
	if err != nil {
		return err
	}
	if err := g.move(ctx, made, tip); err != nil {
		return err
	}
	return g.push(ctx, made)
}

// commit creates a commit that contains the signed checkpoint, and returns the id of the commit. Empty strings in
// parents are ignored.
func (g Git) commit(ctx context.Context, signed []byte, message string, parents ...string) (string, error) {
	blob, err := g.git(ctx, string(signed), "hash-object", "-w", "--stdin")
	if err != nil {
		return "", err
	}
	tree, err := g.git(ctx, "100644 blob "+strings.TrimSpace(blob)+"\t"+noteFile+"\n", "mktree")
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", strings.TrimSpace(tree), "-m", message}
	for _, parent := range parents {
		if parent != "" {
			args = append(args, "-p", parent)
		}
	}
	made, err := g.git(ctx, "", args...)
	return strings.TrimSpace(made), err
}

// move moves the branch from oldCommit to newCommit. It returns errMoved if another process has moved the branch away
// from oldCommit.
func (g Git) move(ctx context.Context, newCommit, oldCommit string) error {
	_, err := g.git(ctx, "", "update-ref", "-m", "toolcrib checkpoint", g.ref(), newCommit, oldCommit)
	if err == nil {
		return nil
	}
	if now, readErr := g.tip(ctx); readErr == nil && now != oldCommit {
		return errMoved
	}
	return err
}

// push pushes the branch to the remote. If another repository has pushed a checkpoint to the remote, push merges that
// checkpoint into the local branch and returns errMoved.
func (g Git) push(ctx context.Context, tip string) error {
	remotes, err := g.git(ctx, "", "remote")
	if err != nil || !slices.Contains(strings.Fields(remotes), remote) {
		return err
	}
	_, err = g.git(ctx, "", "push", "--quiet", remote, tip+":"+g.ref())
	if err == nil {
		return nil
	}
	tracked := "refs/remotes/" + remote + "/" + g.Branch()
	if _, fetchErr := g.git(ctx, "", "fetch", "--quiet", remote, "+"+g.ref()+":"+tracked); fetchErr != nil {
		return err
	}
	theirs, readErr := g.git(ctx, "", "rev-parse", "--verify", tracked)
	if readErr != nil {
		return err
	}
	theirs = strings.TrimSpace(theirs)
	if _, already := g.git(ctx, "", "merge-base", "--is-ancestor", theirs, tip); already == nil {
		return err // the remote has no new commits, so it rejected the push for another reason
	}
	if err := g.join(ctx, tip, theirs); err != nil {
		return err
	}
	return errMoved
}

// join creates a merge commit of tip and theirs, and moves the branch to the merge commit. tip is the newest local
// commit, and theirs is a commit from another repository. The merge commit contains the longer of their two
// checkpoints.
func (g Git) join(ctx context.Context, tip, theirs string) error {
	var longest []byte
	var size int64
	for _, commit := range []string{tip, theirs} {
		signed, err := g.note(ctx, commit)
		if err != nil {
			return err
		}
		c, err := checkpoint.Read(signed)
		if err != nil {
			return fmt.Errorf("read the checkpoint of commit %s: %w", commit, err)
		}
		if c.Size > size {
			longest, size = signed, c.Size
		}
	}
	made, err := g.commit(ctx, longest, "Merge the checkpoint of another repository", tip, theirs)
	if err != nil {
		return err
	}
	return g.move(ctx, made, tip)
}

// maxGit is the maximum size of git's output, in bytes.
const maxGit = 1 << 20

// git runs a git command in the repository, without searching parent folders, and returns its output. Git and SSH
// cannot prompt the user.
func (g Git) git(ctx context.Context, stdin string, args ...string) (string, error) {
	dir, err := filepath.EvalSymlinks(g.Dir)
	if err != nil {
		return "", err
	}
	// core.fsync=all prevents a power failure from undoing a commit. The next publication would not notice the loss.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsync=all", "-C", dir}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_SSH") })
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=toolcrib", "GIT_AUTHOR_EMAIL=toolcrib@localhost", "GIT_COMMITTER_NAME=toolcrib", "GIT_COMMITTER_EMAIL=toolcrib@localhost")
	if !slices.ContainsFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "GIT_SSH") }) {
		cmd.Env = append(cmd.Env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	cmd.Stdin = strings.NewReader(stdin)
	out, err := proc.Collect(cmd, maxGit)
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		if ctx.Err() != nil {
			said = "timed out"
		}
		return "", fmt.Errorf("git %s in %s: %w", args[0], g.Dir, errors.New(cmp.Or(said, err.Error())))
	}
	return string(out.Stdout), nil
}

// Command publishes checkpoints by running a program. The program reads the checkpoint from standard input and
// reports success with exit status 0.
type Command struct {
	Args []string
	Dir  string
}

// Newest implements Target.
func (Command) Newest(context.Context) ([]byte, bool, error) { return nil, false, nil }

// Publish implements Target.
func (c Command) Publish(ctx context.Context, signed, _ []byte) error {
	const most = 64 << 10
	out, err := proc.Exchange(ctx, c.Args, c.Dir, signed, most)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = errors.New("timed out")
	}
	if said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n"); said != "" {
		return fmt.Errorf("%s: %w: %s", c.Args[0], err, said)
	}
	return fmt.Errorf("%s: %w", c.Args[0], err)
}
