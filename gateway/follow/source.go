// This file implements the possible sources of a published registry: a folder, a file, a URL, and a Git repository.

package follow

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolcrib/internal/httpserver"
	"toolcrib/internal/proc"
	"toolcrib/internal/visible"
	"toolcrib/review/bundle"
)

// Source is a place where a registry is published.
type Source interface {
	// Get returns the content of the published file with the given name, and a tag that identifies the content. The
	// argument tag is a result of an earlier call, or "". If tag identifies the current content, Get returns
	// errUnchanged. Get returns an error if the file exceeds limit bytes, and fs.ErrNotExist if the file does not
	// exist.
	Get(ctx context.Context, name, tag string, limit int64) (data []byte, newTag string, err error)
}

// ErrAddress indicates that an address is not the address of a valid source.
var ErrAddress = errors.New("not a valid source")

// errUnchanged is returned by Source.Get if the caller already has the current content.
var errUnchanged = errors.New("unchanged")

// errTooLarge indicates that a file or a response exceeds its size limit.
var errTooLarge = errors.New("the content is too large")

// NewSource returns the source at address. An address is a folder, a file, an https URL, or git:REPOSITORY. An http URL
// is accepted only for a loopback address. git:REPOSITORY may be followed by #BRANCH; the default is Branch. The
// repository is fetched into a subfolder of cache. If token is not "", requests to a URL contain it as a bearer token.
func NewSource(address, cache, token string) (Source, error) {
	if repository, ok := strings.CutPrefix(address, "git:"); ok {
		repository, branch, _ := strings.Cut(repository, "#")
		if repository == "" || strings.HasPrefix(repository, "-") || strings.HasPrefix(branch, "-") {
			return nil, fmt.Errorf("%w: %q has no valid repository and branch; use git:PATH or git:URL, followed by #BRANCH if the branch is not %s", ErrAddress, address, Branch)
		}
		return gitSource{repository, cmp.Or(branch, Branch), filepath.Join(cache, "git")}, nil
	}
	if u, err := url.Parse(address); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		if u.Host == "" || u.User != nil {
			return nil, fmt.Errorf("%w: %q must contain a host, but no user name or password", ErrAddress, address)
		}
		if u.Scheme == "http" && !httpserver.Loopback(u.Hostname()) {
			return nil, fmt.Errorf("%w: %q is not encrypted; use https:// (http:// is allowed only for a server on this machine)", ErrAddress, address)
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.IdleConnTimeout = 5 * time.Second // close the connection between polls
		return &httpSource{u, token, &http.Client{CheckRedirect: checkRedirect, Transport: transport}}, nil
	}
	info, err := os.Stat(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAddress, err)
	}
	if info.IsDir() {
		return folderSource{address}, nil
	}
	return fileSource{address}, nil
}

// Branch is the default branch for a registry that is published in a Git repository.
const Branch = "toolcrib-registry"

func checkRedirect(to *http.Request, via []*http.Request) error {
	if to.URL.Scheme != "https" && !httpserver.Loopback(to.URL.Hostname()) {
		return errors.New("the server redirects to an address that is not encrypted")
	}
	if len(via) >= 5 {
		return errors.New("the server redirects too often")
	}
	return nil
}

// folderSource is a folder with published files, such as a folder on a shared disk.
type folderSource struct{ dir string }

func (s folderSource) Get(_ context.Context, name, tag string, limit int64) ([]byte, string, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close() //nolint:errcheck // opened for reading
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	if !info.Mode().IsRegular() {
		return nil, "", fmt.Errorf("%s is not a regular file", name)
	}
	now := fmt.Sprint(info.ModTime().UnixNano(), info.Size())
	if now == tag {
		return nil, tag, errUnchanged
	}
	data, err := readAll(f, limit)
	return data, now, err
}

// fileSource is a file with a complete bundle, as written by the toolcrib export command.
type fileSource struct{ file string }

func (s fileSource) Get(ctx context.Context, name, tag string, _ int64) ([]byte, string, error) {
	data, now, err := folderSource{filepath.Dir(s.file)}.Get(ctx, filepath.Base(s.file), tag, bundle.MaxSize)
	if err != nil {
		return nil, now, err
	}
	b, err := bundle.Decode(data)
	if err != nil {
		return nil, now, err
	}
	index, parts, err := b.Split()
	if err != nil {
		return nil, now, err
	}
	if name == IndexFile {
		data, err = index.Encode()
		return data, now, err
	}
	part, ok := parts[strings.TrimSuffix(path.Base(name), ".gz")]
	if !ok {
		return nil, now, fs.ErrNotExist
	}
	return Compress(part), now, nil
}

// httpSource is a server of static files or a toolcrib server (toolcrib serve).
type httpSource struct {
	base   *url.URL
	token  string // "" for no token
	client *http.Client
}

// answerWithin is the timeout of a request. It suffices for 64 MB at 5 Mbit/s.
const answerWithin = 2 * time.Minute

func (s *httpSource) Get(ctx context.Context, name, tag string, limit int64) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	answer, err := s.request(ctx, http.MethodGet, name, tag, nil)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close() //nolint:errcheck // opened for reading
	if answer.StatusCode == http.StatusNotModified {
		return nil, tag, errUnchanged
	}
	data, err := readAll(answer.Body, limit)
	return data, answer.Header.Get("ETag"), err
}

// request sends a request and returns the response. It returns an error for a status other than 2xx and 304.
func (s *httpSource) request(ctx context.Context, method, name, tag string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.base.JoinPath(name).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	client := *s.client
	if method == http.MethodPost { // following a redirect could change the POST to a GET
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	answer, err := client.Do(request)
	if err != nil || answer.StatusCode/100 == 2 || answer.StatusCode == http.StatusNotModified {
		return answer, err
	}
	defer answer.Body.Close() //nolint:errcheck // opened for reading
	said, _ := readAll(answer.Body, 4<<10)
	var doc struct{ Error struct{ Message string } }
	_ = json.Unmarshal(said, &doc) // only toolcrib serve returns an error as JSON
	if err = errors.New(answer.Status); answer.StatusCode == http.StatusNotFound {
		err = fs.ErrNotExist
	}
	if doc.Error.Message != "" {
		err = fmt.Errorf("%w: %s", err, visible.Line(doc.Error.Message))
	}
	return nil, fmt.Errorf("%s: %w", request.URL.Redacted(), err)
}

// ServePath is the URL path at which toolcrib serve publishes the registry.
const ServePath = "/v1/bundle"

// serve reports whether the source is a toolcrib server, which sends events and accepts reports.
func (s *httpSource) serve() bool { return strings.HasSuffix(s.base.Path, ServePath) }

// listen receives the events of a toolcrib server until the connection ends. It calls news after it has connected and
// after each event. Because the server sends a comment every 15 seconds, listen closes the connection after a minute
// without data.
func (s *httpSource) listen(ctx context.Context, news func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alarm := time.AfterFunc(time.Minute, cancel)
	defer alarm.Stop()
	answer, err := s.request(ctx, http.MethodGet, "../events", "", nil)
	if err != nil {
		return // the next poll reports the problem
	}
	defer answer.Body.Close() //nolint:errcheck // opened for reading
	news()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		alarm.Reset(time.Minute)
		if strings.HasPrefix(lines.Text(), "data:") {
			news()
		}
	}
}

// gitSource is a branch of a Git repository. cache is the path of the bare repository into which the branch is fetched.
type gitSource struct{ repository, branch, cache string }

func (s gitSource) Get(ctx context.Context, name, tag string, limit int64) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if name == IndexFile {
		if _, err := os.Stat(s.cache); errors.Is(err, fs.ErrNotExist) {
			if _, err := s.git(ctx, limit, "init", "--quiet", "--bare", s.cache); err != nil {
				return nil, "", err
			}
		}
		if _, err := s.git(ctx, limit, "-C", s.cache, "fetch", "--quiet", "--no-tags", "--depth=1", s.repository, "+refs/heads/"+s.branch+":refs/heads/followed"); err != nil {
			return nil, "", err
		}
	}
	commit, err := s.git(ctx, limit, "-C", s.cache, "rev-parse", "refs/heads/followed")
	if err != nil {
		return nil, "", err
	}
	now := strings.TrimSpace(string(commit))
	if now == tag {
		return nil, tag, errUnchanged
	}
	data, err := s.git(ctx, limit, "-C", s.cache, "cat-file", "blob", now+":"+name)
	if err != nil && strings.Contains(err.Error(), "does not exist") {
		err = fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return data, now, err
}

func (s gitSource) git(ctx context.Context, limit int64, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_SSH") })
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	out, err := proc.Collect(cmd, int(limit))
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		return nil, fmt.Errorf("git: %w: %s", err, said)
	}
	return out.Stdout, nil
}

// readAll reads all data from r. It returns errTooLarge if there are more than limit bytes.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", errTooLarge, limit)
	}
	return data, err
}

// Compress compresses data with gzip. The result depends only on data.
func Compress(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // NewWriterLevel fails only for an invalid level
	_, _ = w.Write(data)                                    // writing to a buffer cannot fail
	_ = w.Close()
	return out.Bytes()
}

// expand decompresses data. It returns errTooLarge if the result exceeds bundle.MaxSize bytes.
func expand(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return readAll(r, bundle.MaxSize)
}
