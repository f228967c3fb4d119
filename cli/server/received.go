// This file stores the call logs that other machines, which follow this registry, send to the server.

package server

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"toolcrib/gateway/follow"
	"toolcrib/review"
)

// maxReceived is the maximum size of the call logs that the server stores for a token, in bytes.
const maxReceived = 1 << 30

// receivedLogs stores the call logs of other machines, in a folder for each token and machine. The size of the logs is
// limited for each token, because anyone with a token can send lines.
type receivedLogs struct {
	dir   string
	limit int64 // bytes for each token

	mu   sync.Mutex
	used map[string]diskUsage // by token
}

// diskUsage is the size of a token's logs, and the time at which it was measured.
type diskUsage struct {
	bytes int64
	at    time.Time
}

// remeasure is the minimum time between two measurements of a token's logs. When the logs reach the limit, they are
// measured again, because an administrator may have moved files away.
const remeasure = time.Minute

// add appends the lines in the request in to the log of the machine that sent them with the given token.
func (r *receivedLogs) add(token string, in follow.CallLines, now time.Time) error {
	size := int64(fileCost)
	for _, line := range in.Lines {
		size += int64(len(line)) + 1
	}
	if err := r.reserve(token, size, now); err != nil {
		return err
	}
	journal := follow.Journal{Dir: filepath.Join(r.dir, token, in.Machine)}
	return journal.Append(in.Lines, now)
}

// fileCost is added to the size of each file, folder, and request, in bytes. The limit on bytes therefore also limits
// the number of small files and requests.
const fileCost = 4096

// reserve adds size bytes to the disk usage of the given token, or returns an error if the usage would exceed the
// limit.
func (r *receivedLogs) reserve(token string, size int64, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	folder := filepath.Join(r.dir, token)
	used := r.used[token]
	if used.at.IsZero() || used.bytes+size > r.limit && now.Sub(used.at) >= remeasure {
		used = diskUsage{measure(folder), now}
	}
	fits := used.bytes+size <= r.limit
	if fits {
		used.bytes += size
	}
	r.used[token] = used
	if !fits {
		return fmt.Errorf("%w: the server stores at most %d bytes of call logs for this token; ask the maintainer of the server to move old files out of %s", review.ErrLimit, r.limit, folder)
	}
	return nil
}

// measure returns the total size of the files below a folder, plus fileCost for each file and folder. It treats files
// that it cannot read as empty.
func measure(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the file or folder does not exist yet, or was moved away
		}
		size += fileCost
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
