package wrap

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/clients"
	"toolcrib/registry"
	"toolcrib/store"
)

// ClientEntries returns the servers of all clients of this machine and of the working directory with their names in
// toolcrib, and the files that list them. It needs no database; with one, a name belongs to its recorded command.
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

// recorded returns the servers on record by name: the command or the URL of each when its
// tools were first proposed.
func recorded(ctx context.Context, a *command.App, files []clients.File) map[string]clients.Server {
	known := map[string]clients.Server{}
	defer func(creates bool) { a.Creates = creates }(a.Creates)
	a.Creates = false // init creates a database only when it proposes something
	for _, f := range files {
		for i := range f.Servers {
			for _, name := range []string{f.Servers[i].Guard.Name, registry.ServerName(f.Servers[i].Name)} {
				if _, done := known[name]; done || name == "" {
					continue
				}
				db, err := a.Database(ctx)
				if err != nil {
					return map[string]clients.Server{} // wrap does not need it, and status reports the error
				}
				if words, err := db.StartOf(ctx, name); err == nil && len(words) > 0 {
					known[name] = command.StartedBy(words)
				}
			}
		}
	}
	return known
}

// guardPrefix returns the start of a guard's command in files of a scope. A user's file has
// the path of the program, because a graphical client does not have the PATH of the shell;
// a file of a project must work on other machines.
func guardPrefix(a *command.App, scope clients.Scope) (clients.Prefix, error) {
	p := clients.Prefix{Program: "toolcrib"}
	c, err := a.Settings()
	if err != nil {
		return p, err
	}
	from := c.Sources["db"]
	if !c.DefaultDB && from != c.UserFile && (scope == clients.User || from == "--db") {
		if store.DisplayName(c.DB) != c.DB {
			return p, fmt.Errorf("the address of the database contains a password, which would be visible on the command line of every guard; set it as db in %s", c.UserFile)
		}
		p.Flags = []string{"--db", c.DB}
	}
	if scope == clients.User {
		p.Program, err = ownProgram(a)
		return p, err
	}
	return p, nil
}

// ownProgram returns the path of this program for configuration files of clients: the path found in PATH if it is the
// same program, because that path survives upgrades.
func ownProgram(a *command.App) (string, error) {
	own := a.Env.Program
	if own == "" {
		return "toolcrib", nil
	}
	temporary := func(program string) bool { return strings.Contains(filepath.ToSlash(program), "/go-build") } // made by go run
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
		return "", fmt.Errorf("%s must be called toolcrib, because unwrap recognizes guards by this name; rename it", own)
	}
	return own, nil
}

// KnownClients refuses unknown ids of clients.
func KnownClients(ids []string) error {
	for _, id := range ids {
		if !slices.ContainsFunc(clients.All(), func(c clients.Client) bool { return c.ID == id }) {
			return process.Usagef("unknown client %q: use one of %s", id, strings.Join(strings.Fields(ClientList()), " "))
		}
	}
	return nil
}

// ClientList lists the clients on lines for the help text.
func ClientList() string {
	ids := strings.Join(output.Mapped(clients.All(), func(c clients.Client) string { return c.ID }), ", ")
	return strings.TrimSpace(regexp.MustCompile(`(.{1,76})(?: |$)`).ReplaceAllString(ids, "$1\n"))
}

// signInTime limits the wait for the answer of a server that may require a sign-in.
const signInTime = 3 * time.Second

// Faults of servers at a URL.
const (
	signsIn = "it requires a sign-in (OAuth), which the client does itself"
	silent  = "it does not respond, so it is unknown whether its client must sign in (OAuth); run toolcrib wrap again when it responds"
)

// signIn returns signsIn for a server that refuses requests without a token, which the client
// of an entry without headers gets by OAuth, silent for a server that does not respond, and
// "" for all others.
func signIn(ctx context.Context, s *clients.Server, atLeast time.Duration) string {
	u, err := url.Parse(s.URL)
	header := slices.ContainsFunc(s.Env, func(v clients.Variable) bool { return strings.HasPrefix(v.Name, "TOOLCRIB_HEADER_") })
	if err != nil || header || len(s.Headers) > 0 || s.TokenEnv != "" || u.User != nil || u.Host == "" || strings.Contains(s.URL, "${") {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, max(signInTime, atLeast))
	defer cancel()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"toolcrib","version":"1"}}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(hello))
	if err != nil {
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return silent
	}
	_ = answer.Body.Close() // only the status matters
	if answer.StatusCode == http.StatusUnauthorized {
		return signsIn
	}
	return ""
}
