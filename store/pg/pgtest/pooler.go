package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Pooler starts pgbouncer in transaction mode in front of the cluster, with the given number of
// server connections. It returns a function that converts the URL of a database to its URL at the
// pooler. Pooler skips the test if pgbouncer is not installed.
func (c *Cluster) Pooler(t testing.TB, connections int) func(address string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("pgbouncer is not installed (Debian's package pgbouncer)")
	}
	as, err := unprivileged()
	if err != nil {
		t.Skip(err)
	}
	dir, err := folder(as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	config, users := filepath.Join(dir, "pgbouncer.ini"), filepath.Join(dir, "users.txt")
	text := fmt.Sprintf("[databases]\n* = host=%s\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = %s\nauth_type = trust\nauth_file = %s\npool_mode = transaction\ndefault_pool_size = %d\nmax_client_conn = 1000\nlogfile = %s\n",
		c.dir, dir, users, connections, filepath.Join(dir, "log"))
	for name, text := range map[string]string{config: text, users: `"` + Superuser + "\" \"\"\n"} {
		if err := as.write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "-q", config)
	cmd.SysProcAttr = ownSession(as)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the process may have ended already
		_ = cmd.Wait()
	})
	socket := filepath.Join(dir, ".s.PGSQL.6432")
	for late := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		if time.Now().After(late) {
			log, _ := os.ReadFile(filepath.Join(dir, "log")) // for the message
			t.Fatalf("pgbouncer did not start: %s", log)
		}
	}
	return func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		query.Set("host", dir)
		query.Set("port", "6432")
		u.RawQuery = query.Encode()
		return u.String()
	}
}
