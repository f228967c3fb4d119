// Package pgtest starts private PostgreSQL servers for tests and measurements: a data directory and a Unix socket in a
// temporary folder, without a TCP port or privileges. When the process that started a server ends, even by a crash,
// the server stops and its folder is removed.
package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// Superuser is the role that owns a cluster.
const Superuser = "postgres"

// Cluster is a running PostgreSQL server. It is safe for concurrent use.
type Cluster struct {
	dir        string
	orders     io.WriteCloser // input of the supervisor; closing it stops the server
	answers    *bufio.Reader
	supervisor *exec.Cmd

	mu    sync.Mutex
	admin *pgx.Conn // connected to the database postgres, or nil before the first use
	made  int       // number of databases created
}

// Options configures a cluster.
type Options struct {
	// Durable syncs every commit to disk, as a production server does. Otherwise, a commit survives
	// a crash of the server but not a power failure.
	Durable bool
	// Settings has additional lines for postgresql.conf, such as "log_statement=all".
	Settings []string
	// Files are written to the folder above the data folder, readable only by the server.
	Files map[string][]byte
}

// supervise is the shell script that starts the server, restarts it for each line of input, and
// stops it and removes its folder at the end of input. The input also ends when the test process is
// killed. The script runs as the user of the server.
//
// The default collation is the collation of a language. Tests therefore detect an ORDER BY that relies on byte order.
const supervise = `
trap '' PIPE INT HUP
bin=$1 dir=$2 settings=$3
{
	"$bin/initdb" -D "$dir/data" -U postgres -A trust -N -E UTF8 --locale=C --locale-provider=icu --icu-locale=en --no-instructions &&
	"$bin/pg_ctl" -D "$dir/data" -l "$dir/server.log" -w -t 600 -o "$settings" start
} >"$dir/start.log" 2>&1 && echo ready || echo failed
while read -r _; do
	"$bin/pg_ctl" -D "$dir/data" -l "$dir/server.log" -m immediate -w -t 600 restart >"$dir/start.log" 2>&1 && echo ready || echo failed
done
"$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1
rm -rf "$dir"
`

// Start starts a cluster. The error wraps ErrMissing if PostgreSQL is not installed.
func Start(opts Options) (c *Cluster, err error) {
	bin, err := Programs()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := folder(as)
	if err != nil {
		return nil, err
	}
	for name, text := range opts.Files {
		if err := as.write(filepath.Join(dir, name), text); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	settings := append([]string{
		"listen_addresses=", "unix_socket_directories=" + dir, "unix_socket_permissions=0700", "max_connections=200",
	}, opts.Settings...)
	if !opts.Durable {
		settings = append(settings, "fsync=off", "full_page_writes=off")
	}
	c = &Cluster{dir: dir}
	c.supervisor = exec.Command("sh", "-c", supervise, "sh", bin, dir, "-c "+strings.Join(settings, " -c ")) //nolint:noctx // the server does not depend on a context
	c.supervisor.Dir = dir
	c.supervisor.SysProcAttr = ownSession(as)
	if err := c.begin(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := c.ready(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// begin starts the supervisor.
func (c *Cluster) begin() error {
	in, err := c.supervisor.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.supervisor.StdoutPipe()
	if err != nil {
		return err
	}
	c.orders, c.answers = in, bufio.NewReader(out)
	return c.supervisor.Start()
}

// ready waits until the supervisor reports the server as ready.
func (c *Cluster) ready() error {
	answer, err := c.answers.ReadString('\n')
	if answer == "ready\n" {
		return nil
	}
	var logs []string
	for _, name := range []string{"start.log", "server.log"} {
		if text, err := os.ReadFile(filepath.Join(c.dir, name)); err == nil {
			logs = append(logs, string(text))
		}
	}
	return errors.Join(fmt.Errorf("the PostgreSQL server in %s did not start:\n%s", c.dir, strings.Join(logs, "\n")), err)
}

// Stop kills the server, as a crash would, and removes its folder. This also happens if the process ends without
// calling Stop.
func (c *Cluster) Stop() error {
	return errors.Join(c.orders.Close(), c.supervisor.Wait())
}

// Restart kills the server, as a crash would, and starts it again. It returns when the server
// accepts connections.
func (c *Cluster) Restart() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := io.WriteString(c.orders, "restart\n"); err != nil {
		return err
	}
	return c.ready()
}

// URL returns the URL of a database for a role. Roles with LOGIN need no password.
func (c *Cluster) URL(role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: url.Values{"host": {c.dir}}.Encode()}
	return u.String()
}

// Database creates a database as a copy of template ("" for the server's default) and returns its
// name. The template must have no open connections.
func (c *Cluster) Database(ctx context.Context, template string) (string, error) {
	c.mu.Lock()
	c.made++
	name := fmt.Sprintf("test_%d", c.made)
	c.mu.Unlock()
	if template == "" {
		template = "template1"
	}
	return name, c.Exec(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template))
}

// Drop closes the connections of a database and removes it.
func (c *Cluster) Drop(ctx context.Context, name string) error {
	return c.Exec(ctx, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name))
}

// Exec executes statements as the superuser in the database postgres.
func (c *Cluster) Exec(ctx context.Context, statements string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.admin == nil || c.admin.IsClosed() {
		conn, err := pgx.Connect(ctx, c.URL(Superuser, "postgres"))
		if err != nil {
			return err
		}
		c.admin = conn
	}
	_, err := c.admin.Exec(ctx, statements)
	return err
}

// Kill ends a process of the server with SIGKILL. Use pg_backend_pid() to obtain pid. The
// server treats the signal as a crash: it ends all other connections and recovers from its
// log.
func (c *Cluster) Kill(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}
