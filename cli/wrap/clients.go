// This file reads the servers in the files of clients, and determines the command line of guards.

package wrap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/clients"
	"toolcrib/gateway/upstream"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/store"
)

// ClientEntries returns the servers of all clients, and the files in which clients configure them, on this machine and
// in the working directory. Each entry contains the name of the server in toolcrib. If the database contains the
// command of a server, only a server with this command can have the name. ClientEntries also works without a database.
func ClientEntries(ctx context.Context, a *command.App) ([]clients.Entry, []clients.File, error) {
	c, err := a.Settings()
	if err != nil {
		return nil, nil, err
	}
	m, err := machine(a)
	if err != nil {
		return nil, nil, err
	}
	m.Inspect = inspector{a}.inspect
	files := m.Find()
	known := recorded(ctx, a, files)
	for name, s := range c.Servers {
		k := clients.Server{URL: s.URL}
		if len(s.Command) > 0 {
			k.Command, k.Args = s.Command[0], s.Command[1:]
		}
		known[name] = k
	}
	return clients.Entries(files, known), files, nil
}

// recorded returns the servers that are both in the given files and in the database, by name. Each server has the
// command or URL with which its tools were first proposed.
func recorded(ctx context.Context, a *command.App, files []clients.File) map[string]clients.Server {
	known := map[string]clients.Server{}
	defer func(creates bool) { a.Creates = creates }(a.Creates)
	a.Creates = false // do not create a database
	for _, f := range files {
		for i := range f.Servers {
			for _, name := range []string{f.Servers[i].Guard.Name, registry.ServerName(f.Servers[i].Name)} {
				if _, done := known[name]; done || name == "" {
					continue
				}
				db, err := a.Database(ctx)
				if err != nil {
					return map[string]clients.Server{} // wrap does not need the database; the status command reports the error
				}
				if words, err := db.StartOf(ctx, name); err == nil && len(words) > 0 {
					known[name] = command.StartedBy(words)
				}
			}
		}
	}
	return known
}

// guardPrefix returns the program and the flags at the beginning of a guard's command line. In a user's file, the
// program is a path, because graphical clients do not have the PATH of the shell. In a project's file, the program is a
// name, because other machines use the file, too.
func guardPrefix(a *command.App, scope clients.Scope) (clients.Prefix, error) {
	p := clients.Prefix{Program: "toolcrib"}
	c, err := a.Settings()
	if err != nil {
		return p, err
	}
	from := c.Sources["db"]
	if !c.DefaultDB && from != c.UserFile && (scope == clients.User || from == "--db") {
		if store.DisplayName(c.DB) != c.DB {
			return p, fmt.Errorf("the address of the database contains a password, which would be visible on the command line of every guard; set db to this address in %s instead", c.UserFile)
		}
		p.Flags = []string{"--db", c.DB}
	}
	if scope == clients.User {
		p.Program, err = ownProgram(a)
		return p, err
	}
	return p, nil
}

// ownProgram returns the path of this program for the configuration files of clients. If PATH also leads to this
// program, ownProgram returns that path, which remains valid after upgrades.
func ownProgram(a *command.App) (string, error) {
	own := a.Env.Program
	if own == "" {
		return "toolcrib", nil
	}
	temporary := func(program string) bool { return strings.Contains(filepath.ToSlash(program), "/go-build") } // a file that go run creates
	found, err := exec.LookPath("toolcrib")
	if err != nil || !filepath.IsAbs(found) || temporary(found) {
		found = ""
	}
	switch {
	case temporary(own) && found != "":
		return found, nil
	case temporary(own):
		return "", fmt.Errorf("%s is a temporary file of go run, which will be deleted before clients start it; install toolcrib (go install), and run the installed program", own)
	case found != "" && settings.SameFile(found, own):
		return found, nil
	case !strings.HasPrefix(filepath.Base(own), "toolcrib"):
		return "", fmt.Errorf("%s must be called toolcrib, because the unwrap command recognizes guards by this name; rename the program", own)
	}
	return own, nil
}

// KnownClients returns a usage error if ids contains an unknown client id.
func KnownClients(ids []string) error {
	for _, id := range ids {
		if !slices.ContainsFunc(clients.All(), func(c clients.Client) bool { return c.ID == id }) {
			return process.Usagef("unknown client %q: use one of %s", id, strings.Join(strings.Fields(ClientList()), " "))
		}
	}
	return nil
}

// ClientList returns the ids of all clients for the help text, broken into lines.
func ClientList() string {
	ids := strings.Join(lists.Map(clients.All(), func(c clients.Client) string { return c.ID }), ", ")
	return strings.TrimSpace(regexp.MustCompile(`(.{1,76})(?: |$)`).ReplaceAllString(ids, "$1\n"))
}

// signInTime is the time limit for the response of a server that may require a sign-in.
const signInTime = 3 * time.Second

// Reasons why a server at a URL cannot be guarded.
const (
	signsIn = "the server requires a sign-in (OAuth), which only the client can perform"
	silent  = "the server does not respond, so toolcrib cannot check whether the server requires a sign-in (OAuth); when the server responds, run toolcrib wrap again"
)

// signIn connects to a server at a URL without credentials, and returns the reason why the server cannot be guarded, or
// "". The reason is signsIn if the server requires that the client obtains a token with OAuth, and silent if the server
// does not respond. If the entry has headers or a token, signIn returns "" without connecting. atLeast is a lower bound
// for the time limit.
func signIn(ctx context.Context, s *clients.Server, atLeast time.Duration) string {
	u, err := url.Parse(s.URL)
	header := slices.ContainsFunc(s.Env, func(v clients.Variable) bool { return strings.HasPrefix(v.Name, "TOOLCRIB_HEADER_") })
	if err != nil || header || len(s.Headers) > 0 || s.TokenEnv != "" || u.User != nil || u.Host == "" || strings.Contains(s.URL, "${") {
		return ""
	}
	session, err := upstream.Connect(ctx, upstream.Server{Name: s.Name, URL: s.URL, Timeout: max(signInTime, atLeast), LikeClient: true}, nil)
	switch {
	case err == nil:
		session.Close()
	case errors.Is(err, upstream.ErrCredentials):
		return signsIn
	case errors.Is(err, upstream.ErrTimeout), errors.As(err, new(*net.OpError)):
		return silent
	}
	return ""
}
