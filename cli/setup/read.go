// This file starts each server of the clients once to read its tools.

package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/clients"
	"toolcrib/gateway/upstream"
	"toolcrib/internal/lists"
)

// clientServer is a server that is configured in at least one client.
type clientServer struct {
	name     string
	entry    clients.Entry   // entry that is used to start the server
	all      []clients.Entry // all entries of the same server
	excluded string          // reason why the server is not started, or ""
	server   upstream.Server
}

// clientServers returns the servers in entries. Entries with the same name denote the same server, and the first entry
// that is not excluded determines how the server is started. An entry that cannot be guarded always denotes a separate
// server. here reports whether to include entries in files of the working directory.
func clientServers(entries []clients.Entry, env process.Env, here bool) []clientServer {
	var all []clientServer
	for _, e := range entries {
		if e.Server().Self() || e.Server().BuiltIn() {
			continue
		}
		c := clientServer{name: cmp.Or(e.Name, e.Server().Name), entry: e, all: []clients.Entry{e}}
		c.convert(env, here)
		same := func(o clientServer) bool { return o.name == c.name && o.entry.Fault == "" && e.Fault == "" }
		at := slices.IndexFunc(all, same)
		switch {
		case at < 0:
			all = append(all, c)
		case all[at].excluded != "" && c.excluded == "":
			c.all = append(all[at].all, e)
			all[at] = c
		default:
			all[at].all = append(all[at].all, e)
		}
	}
	return all
}

// convert sets c.server to the command or URL, the folder, and the variables with which the client starts the server.
// It also sets c.excluded if toolcrib must not start the server.
func (c *clientServer) convert(env process.Env, here bool) {
	s, fill := c.entry.Server(), filler{env: env, known: c.entry.File.Variables}
	u := upstream.Server{Name: c.name, LikeClient: true, URL: fill.text(s.URL), Headers: http.Header{}}
	for _, h := range s.Headers {
		u.Headers.Add(h.Name, fill.text(h.Value))
	}
	if s.TokenEnv != "" {
		u.Token = env.Getenv(s.TokenEnv)
	}
	if s.URL == "" {
		u.Command = append([]string{fill.text(s.Command)}, lists.Map(s.Args, fill.text)...)
		u.Dir = cmp.Or(s.Project, settings.HomeFolder(env)) // in the current folder, npx could run a package of the project with the same name
		if c.entry.File.Scope == clients.Project {
			u.Dir = env.Dir
		}
		if dir := fill.text(s.Dir); dir != "" {
			u.Dir = settings.Absolute(u.Dir, dir)
		}
		if program := u.Command[0]; program != filepath.Base(program) && !filepath.IsAbs(program) {
			u.Command[0] = filepath.Join(u.Dir, program)
		}
		runsPackages := func(program string) bool { // reports whether the program may have to install the server first
			name := strings.TrimSuffix(filepath.Base(program), filepath.Ext(program))
			return slices.Contains([]string{"npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "uvx", "uv", "pipx", "dnx", "deno", "docker", "podman"}, name)
		}
		u.Spare = slices.ContainsFunc(u.Command[:min(3, len(u.Command))], runsPackages)
		u.Env = os.Environ()
		for _, v := range s.Env {
			u.Env = append(u.Env, v.Name+"="+fill.text(v.Value))
		}
	}
	c.server = u
	switch inProject := c.entry.File.Scope == clients.Project; {
	case c.entry.Fault != "":
		c.excluded = c.entry.Fault
	case s.Disabled:
		c.excluded = "the server is disabled"
	case inProject && !here:
		c.excluded = "the entry is in a file of this folder; to include the server, add --here"
	case len(fill.left) > 0:
		c.excluded = "the entry contains " + strings.Join(fill.left, ", ") + ", which only the client can fill in; wrap the server, and toolcrib proposes its tools when the client starts it"
	}
}

// filler replaces references to variables in a client's file by their values.
type filler struct {
	env   process.Env
	known map[string]string // values of references that the client defines
	left  []string          // references without a known value
}

// variable matches a reference to a variable. It captures the name in ${NAME}, ${NAME:-DEFAULT}, ${env:NAME}, and
// {env:NAME}. For other kinds of references, it captures no name.
var variable = regexp.MustCompile(`\$\{\{[^}]*\}\}|\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}|\$\{[^}]*\}|\{env:([A-Za-z_]\w*)\}|\{file:[^}]*\}`)

func (f *filler) text(s string) string {
	return variable.ReplaceAllStringFunc(s, func(found string) string {
		if value, ok := f.known[found]; ok {
			return value
		}
		parts := variable.FindStringSubmatch(found)
		value := cmp.Or(f.env.Getenv(cmp.Or(parts[1], parts[3])), parts[2])
		if parts[1]+parts[3] == "" || value == "" && !strings.Contains(found, ":-") {
			if !slices.Contains(f.left, found) {
				f.left = append(f.left, found)
			}
			return found
		}
		return value
	})
}

// commandOrURL returns the command line or URL of the server for display. Secrets are masked.
func (c clientServer) commandOrURL() string {
	s := c.entry.Server().Masked()
	if s.URL != "" {
		return s.URL
	}
	return strings.Join(lists.Map(append([]string{s.Command}, s.Args...), output.ShellWord), " ")
}

// Default time limits for the first response of a server. installsIn applies to servers that a package runner, such as
// npx, starts, because the package runner may have to download the server first.
const (
	answersIn  = 10 * time.Second
	installsIn = time.Minute
)

// limit returns the time limit for the server: timeout, or the default if timeout is 0.
func (c clientServer) limit(timeout time.Duration) time.Duration {
	switch {
	case timeout > 0:
		return timeout
	case c.server.Spare:
		return installsIn
	}
	return answersIn
}

// readAll reads the tool lists of the servers in ready and prints a note for each server. The number of parallel reads
// is at most twice the number of processors. Programs that start at the same time slow each other down. If a program
// exceeds the default time limit, readAll therefore starts the program again after the first attempts of all other
// programs have ended.
func readAll(ctx context.Context, a *command.App, ready []clientServer, timeout time.Duration) []command.LiveList {
	read := make([]command.LiveList, len(ready))
	done := make(chan int)
	began := a.Env.Now()
	turn := make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	var first sync.WaitGroup
	first.Add(len(ready))
	again := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, c := range ready {
		go func() {
			c.server.Timeout, c.server.Texts = c.limit(timeout), a.Config.ReviewsTexts(c.name)
			turn <- struct{}{}
			data, err := upstream.List(ctx, c.server)
			<-turn
			first.Done()
			if errors.Is(err, upstream.ErrTimeout) && timeout == 0 && c.server.URL == "" && len(ready) > 1 {
				first.Wait()
				again <- struct{}{}
				data, err = upstream.List(ctx, c.server)
				<-again
			}
			read[i] = command.LiveList{From: command.LiveServer{Name: c.name, Shown: "server " + c.name, Start: command.StartOf(c.server.Command, c.server.URL, c.server.Dir)}, Data: data, Err: err}
			done <- i
		}()
	}
	p := a.Progress()
	defer p.End()
	for n := range ready {
		p.Tell(int64(n), int64(len(ready)), "Requesting the tools of the servers")
		i := <-done
		word := "answered"
		if read[i].Err != nil {
			word = "failed"
		}
		p.Clear()
		a.Note("%d of %d: %s %s after %s", n+1, len(ready), ready[i].name, word, a.Env.Now().Sub(began).Round(100*time.Millisecond))
		command.NoteStderr(a, read[i].Err)
	}
	return read
}

// problem returns a message with the cause of err and a remedy. err is an error of the server, and timeout is its time
// limit.
func (c clientServer) problem(err error, timeout time.Duration) string {
	s := c.entry.Server()
	noise, noisy := errors.AsType[upstream.Noise](err)
	var network *net.OpError
	switch {
	case noisy:
		return fmt.Sprintf("the server did not answer within %s: %v", timeout, noise)
	case errors.Is(err, upstream.ErrCredentials) && len(s.Headers) == 0 && s.TokenEnv == "":
		return "the server requires a sign-in (OAuth), which only the client can perform; toolcrib cannot guard the server, and the wrap command does not change the entry"
	case errors.Is(err, upstream.ErrCredentials):
		return "the server rejected the credentials in the entry; update the credentials in the client's file"
	case errors.Is(err, upstream.ErrTimeout) && c.server.Spare:
		return fmt.Sprintf("the server did not answer within %s, perhaps because it is still being installed; run toolcrib init again in a minute, or allow more time with --timeout 2m", timeout)
	case errors.Is(err, upstream.ErrTimeout):
		return fmt.Sprintf("the server did not answer within %s; allow more time with --timeout 1m", timeout)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the program %s does not exist; install it, or remove the entry from the client's file", s.Command)
	case errors.As(err, &network):
		return fmt.Sprintf("the address of the server does not respond (%v); start the server, or remove the entry from the client's file", network.Err)
	case errors.Is(err, upstream.ErrClosed) && s.URL == "":
		return "the server ended before it answered; to find the cause, run the command of the server by hand"
	}
	return output.Sentence(err)
}
