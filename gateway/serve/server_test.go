package serve_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// server is a process that runs toolcrib serve.
type server struct {
	place
	cmd     *exec.Cmd
	url     string // http://127.0.0.1:PORT, or the path of a socket
	secret  string
	tokenID string
	lines   chan string // lines of its log; closed at the end
	log     []string
}

// serve starts a server and creates a token for skipper.
func (p place) serve(args ...string) *server {
	p.Helper()
	s := &server{place: p, lines: make(chan string, 10_000)}
	s.secret, s.tokenID = p.token("--user", "ada")
	s.cmd = p.command(program, append([]string{"serve", "--log-format", "json", "--log-level", "debug"}, args...)...)
	errs, err := s.cmd.StderrPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	go func() {
		defer close(s.lines)
		for scan := bufio.NewScanner(errs); scan.Scan(); {
			s.lines <- scan.Text()
		}
	}()
	s.url, _ = s.await("serving")["address"].(string)
	p.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		s.end()
	})
	return s
}

// await reads the log up to a line with the message.
func (s *server) await(message string) map[string]any {
	s.Helper()
	for line := range s.lines {
		s.log = append(s.log, line)
		var entry map[string]any
		if json.Unmarshal([]byte(line), &entry) == nil && entry["msg"] == message {
			return entry
		}
	}
	s.Fatalf("the log ended before %q: %s", message, strings.Join(s.log, "\n"))
	return nil
}

// end reads the rest of the log and returns the exit status.
func (s *server) end() int {
	for line := range s.lines {
		s.log = append(s.log, line)
	}
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// stop interrupts the server and searches its log for secrets.
func (s *server) stop() {
	s.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.Fatal(err)
	}
	if code := s.end(); code != 130 {
		s.Errorf("exit status %d, want 130: %s", code, strings.Join(s.log, "\n"))
	}
	if strings.Contains(strings.Join(s.log, "\n"), s.secret[len(s.secret)-26:]) {
		s.Error("the log has the token")
	}
}

// hanging is the timeout after which a test fails.
const hanging = 3 * time.Minute

// request returns a request with the token.
func (s *server) request(method, path, body string, header ...string) *http.Request {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	return r
}

// do sends a request and returns the response and its body.
func (s *server) do(r *http.Request) (*http.Response, string) {
	s.Helper()
	resp, err := (&http.Client{Timeout: hanging, Transport: documented{s}}).Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing is written
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp, string(text)
}

// get requests a path and returns the status and the document.
func (s *server) get(path string, header ...string) (int, map[string]any) {
	s.Helper()
	resp, text := s.do(s.request(http.MethodGet, path, "", header...))
	return resp.StatusCode, document(text)
}

// post calls a tool and returns the status and the document.
func (s *server) post(body string) (int, map[string]any) {
	s.Helper()
	resp, text := s.do(s.request(http.MethodPost, "/v1/agents/skipper/execute", body))
	return resp.StatusCode, document(text)
}

// document parses a JSON object and returns nil if the text is not one.
func document(text string) map[string]any {
	var doc map[string]any
	if json.Unmarshal([]byte(text), &doc) != nil {
		return nil
	}
	return doc
}

// code returns the code of the error in a document.
func code(doc map[string]any) string {
	fault, _ := doc["error"].(map[string]any)
	text, _ := fault["code"].(string)
	return text
}
