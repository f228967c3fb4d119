package sqlite

import (
	"net/url"
	"path/filepath"
)

// modeFrozen opens a file that nobody changes: without locks and without its
// log, which is the only way where the folder may not be written
// (https://www.sqlite.org/wal.html#readonly).
const modeFrozen = "frozen"

// dsn returns the data source name that opens path in a mode, "rw", "ro" or
// modeFrozen: what opens a file read-only does not even tidy up its log. The
// driver runs busy_timeout before the other pragmas. With synchronous=FULL
// an acknowledged commit survives a power cut: with NORMAL, a write-ahead
// log is not synced at commit.
func dsn(path, mode string, pragmas ...string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	q := url.Values{"mode": {mode}, "_pragma": append([]string{"foreign_keys(1)"}, pragmas...)}
	if mode == modeFrozen {
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: q.Encode()}
	return u.String(), nil
}
