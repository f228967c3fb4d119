//go:build failpoint

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// passed counts how often the point was reached. It is state of the process,
// as the environment is.
var passed atomic.Int64 //nolint:gochecknoglobals // see above

// Here kills the process, as kill -9 does, if this is the point that the
// environment names.
func Here(point string) {
	name, count, _ := strings.Cut(os.Getenv(Variable), "@")
	if name != point {
		return
	}
	at, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		at = 1
	}
	if passed.Add(1) != at {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(fmt.Sprintf("failpoint %s: %v", point, err))
	}
	select {} // the signal is on its way
}
