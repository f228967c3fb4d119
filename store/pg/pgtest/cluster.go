// Package pgtest starts private PostgreSQL servers for tests and measurements: a data directory and a Unix socket in a
// temporary folder, without a TCP port or privileges. The server stops and its folder is removed when the process that
// started it ends in any way.
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

// Superuser is the name of the role that owns a cluster.
const Superuser = "postgres"

// Cluster is a running PostgreSQL server. It is safe for concurrent use.
type Cluster struct {
	dir        string
	orders     io.WriteCloser // of the supervisor; closing it stops the server
	answers    *bufio.Reader
	supervisor *exec.Cmd

	mu    sync.Mutex
	admin *pgx.Conn // to the database postgres; nil before the first use
	made  int       // databases
}

// Options are settings of a cluster.
type Options struct {
	// Durable waits for the disk at every commit, as a server in production
	// does. Without it a commit survives the end of the server and of any of its
	// processes, but not a power cut.
	Durable bool
	// Settings are further ones of postgresql.conf, such as "log_statement=all".
	Settings []string
	// Files are written next to the data folder, readable only by the server.
	Files map[string][]byte
}

// supervise is the shell script that starts the server, restarts it on each
// line of its input, and stops it and removes its folder at the end of its
// input, which comes when the test process ends, also by SIGKILL. It runs as
// the user of the server.
//
// The default collation sorts as a language does: an ORDER BY that relies on the
// order of bytes without saying so fails.
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

// Start starts a cluster. It returns an error that wraps ErrMissing where the
// server's programs are not installed.
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
	c.supervisor = exec.Command("sh", "-c", supervise, "sh", bin, dir, "-c "+strings.Join(settings, " -c ")) //nolint:noctx // it outlives every context
	c.supervisor.Dir = dir
	c.supervisor.SysProcAttr = apart(as)
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

// ready waits for the answer of the supervisor.
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

// Restart ends the server at once, as a crash would, and starts it again. It
// returns when the server takes connections.
func (c *Cluster) Restart() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := io.WriteString(c.orders, "restart\n"); err != nil {
		return err
	}
	return c.ready()
}

// URL returns the address of a database for a role. Every role may log in
// without a password that has LOGIN.
func (c *Cluster) URL(role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: url.Values{"host": {c.dir}}.Encode()}
	return u.String()
}

// Database creates a database as a copy of the template ("" for the engine's own), and returns its name. The template
// must have no open connections.
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

// Drop removes a database and cuts its connections.
func (c *Cluster) Drop(ctx context.Context, name string) error {
	return c.Exec(ctx, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name))
}

// Exec runs statements as the superuser, outside of any test's database.
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

// Kill ends one process of the server with SIGKILL, such as the backend of a
// connection, by its number from pg_backend_pid(). The server takes that for a
// crash: it ends every other connection and recovers from its log.
func (c *Cluster) Kill(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}
