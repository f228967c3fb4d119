package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// ErrMissing means that the PostgreSQL server is not installed.
var ErrMissing = errors.New("no PostgreSQL server of version 15 or newer is installed; install Debian's package postgresql")

// minVersion is the first version of PostgreSQL that toolcrib supports.
const minVersion = 15

var major = regexp.MustCompile(`\d+`)

// Programs returns the folder with initdb, pg_ctl, and postgres. It searches Debian's folders and
// PATH for the newest version.
func Programs() (string, error) {
	best, version := "", 0
	for _, dir := range folders() {
		out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output() //nolint:noctx // the program prints one line
		if err != nil {
			continue
		}
		if n, err := strconv.Atoi(major.FindString(string(out))); err == nil && n > version {
			best, version = dir, n
		}
	}
	if version < minVersion {
		return "", ErrMissing
	}
	return best, nil
}

// folders lists the folders to search. Debian's folders are not in PATH.
func folders() []string {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil {
			dirs = append(dirs, filepath.Dir(initdb))
		}
	}
	return dirs
}

// folder creates the folder of a cluster, owned by the server's user. It uses /tmp if that user may
// not have access to the usual temporary folder, or if the path is too long for a socket address.
func folder(as *account) (string, error) {
	base := os.TempDir()
	if as != nil || len(base) > 60 {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "toolcrib-pg")
	if err != nil {
		return "", err
	}
	if as == nil {
		return dir, nil
	}
	if err := os.Chown(dir, as.uid, as.gid); err != nil {
		return "", errors.Join(fmt.Errorf("give %s to the server's user: %w", dir, err), os.Remove(dir))
	}
	return dir, nil
}

// account is the user that a server runs as.
type account struct{ uid, gid int }

// write creates a file that only the account can read. If the account is nil, write uses the
// account of this process.
func (a *account) write(path string, text []byte) error {
	if err := os.WriteFile(path, text, 0o600); err != nil || a == nil {
		return err
	}
	return os.Chown(path, a.uid, a.gid)
}
