package serve_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/gateway/follow"
	"toolcrib/internal/shortrun"
	"toolcrib/review/bundle"
)

// bundle reads the published registry with all kinds of requests.
func (s *server) bundle() {
	resp, index := s.do(s.request("GET", "/v1/bundle", ""))
	tag := resp.Header.Get("ETag")
	i, err := bundle.DecodeIndex([]byte(index))
	if err != nil || resp.StatusCode != 200 || tag == "" || len(i.Parts) == 0 {
		s.Fatalf("%s %q %v", resp.Status, tag, err)
	}
	if resp, text := s.do(s.request("GET", "/v1/bundle/index.json", "")); text != index || resp.Header.Get("ETag") != tag {
		s.Errorf("%s: another index", resp.Status)
	}
	part := "/v1/bundle/" + follow.PartFile(i.Parts[0])
	for _, path := range []string{"/v1/bundle", part} {
		resp, whole := s.do(s.request("GET", path, "", "Accept-Encoding", "identity"))
		if r, text := s.do(s.request("GET", path, "", "If-None-Match", resp.Header.Get("ETag"))); r.StatusCode != 304 || text != "" {
			s.Errorf("%s with its tag: %s", path, r.Status)
		}
		if r, text := s.do(s.request("GET", path, "", "Range", "bytes=2-5")); r.StatusCode != 206 || text != whole[2:6] {
			s.Errorf("%s: bytes 2 to 5: %s %q", path, r.Status, text)
		}
		if r, _ := s.do(s.request("GET", path, "", "Range", "bytes=99999999-")); r.StatusCode != 416 {
			s.Errorf("%s: bytes that it does not have: %s", path, r.Status)
		}
		if status, _ := s.get(path + "?x=1"); status != 400 {
			s.Errorf("%s with an unknown parameter: %d", path, status)
		}
	}
	for path, want := range map[string]int{
		"/v1/bundle/tile/8/0/000.p/1": 200, "/v1/bundle/tile/8/0/x999/000": 404, "/v1/bundle/tile/8/data/000": 404, "/v1/bundle/parts/x.gz": 404,
		"/v1/bundle/parts/../index.json": 404, strings.TrimSuffix(part, ".gz"): 404, "/v1/bundle/": 404,
	} {
		if status, doc := s.get(path); status != want {
			s.Errorf("%s: %d %v, want %d", path, status, doc, want)
		}
	}
	meet("GET", "/v1/bundle", "404") // from a server without --bundle, in TestBundleIsOptIn
}

// report returns a report of tools, given as names and descriptions.
func report(machine, server string, tools ...string) map[string]any {
	list := []any{}
	for i := 0; i < len(tools); i += 2 {
		list = append(list, map[string]any{"name": tools[i], "description": tools[i+1], "inputSchema": map[string]any{"type": "object"}})
	}
	return map[string]any{"machine": machine, "server": server, "document": map[string]any{"tools": list}}
}

const (
	machineA = "0123456789abcdef0123456789abcdef"
	machineB = "4567456789abcdef0123456789abcdef"
)

// reported sends reports and returns the number of new proposals and the refusals, one per line.
func (s *server) reported(reports ...any) (made int, refused string) {
	body, err := json.Marshal(map[string]any{"reports": reports})
	if err != nil {
		s.Fatal(err)
	}
	resp, text := s.do(s.request("POST", "/v1/reports", string(body)))
	var doc struct {
		Proposals int
		Refused   []struct {
			Index  int
			Reason string
			Later  bool
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || resp.StatusCode != 200 {
		s.Fatalf("%s: %s", resp.Status, text)
	}
	for _, r := range doc.Refused {
		refused += fmt.Sprintln(r.Index, r.Later, r.Reason)
	}
	return doc.Proposals, refused
}

// reports sends reports of followers to the server.
func (s *server) reports() {
	if made, refused := s.reported(report(machineA, "library", "find_book", "Find a book.")); made != 1 || refused != "" {
		s.Errorf("a report: %d %s", made, refused)
	}
	if made, refused := s.reported(report(machineA, "library", "find_book", "Find a book."), report(machineB, "library", "find_book", "Find a book.")); made != 0 || refused != "" {
		s.Errorf("again, and by another machine: %d %s", made, refused)
	}
	if out := s.run("show", "set:reported_library"); !strings.Contains(out, "find_book") {
		s.Errorf("no proposal: %s", out)
	}
	for _, body := range []string{``, `[]`, `{"reports":[` + strings.Repeat("{},", 100) + `{}]}`, `{"report":[]}`} {
		if resp, text := s.do(s.request("POST", "/v1/reports", body)); resp.StatusCode != 400 {
			s.Errorf("%.60s: %s %s", body, resp.Status, text)
		}
	}
	if status, _ := s.raw(fmt.Sprintf("POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{", s.secret, 1<<20+1)); status != 413 {
		s.Errorf("a body of a byte more than 1 MiB: %d", status)
	}
	meet("POST", "/v1/reports", "413")
	meet("POST", "/v1/reports", "404") // from a server without --bundle, in TestBundleIsOptIn
}

// callLines sends lines of the call log of a follower.
func (s *server) callLines() {
	first := `{"seq":1,"prev":"","call":{"id":"c1","at":"2026-01-01T00:00:00Z","actor":"agent:x","agent":"x","name":"find_book"}}`
	sum := sha256.Sum256([]byte(first))
	second := `{"seq":2,"prev":"` + hex.EncodeToString(sum[:]) + `","outcome":{"call":"c1","at":"2026-01-01T00:00:01Z","duration_ns":1}}`
	for _, batch := range []struct {
		lines []string
		want  int
	}{
		{[]string{first}, 200},
		{[]string{first, second}, 200}, // the answer to the first batch was lost
		{[]string{second}, 200},
		{[]string{strings.Replace(second, "c1", "c2", 1)}, 409},
		{[]string{first}, 200},                                 // the machine lost the record of what it sent
		{[]string{strings.Replace(first, "c1", "c2", 1)}, 409}, // the machine has begun another log
		{[]string{`{"seq":4,"prev":"","outcome":{"call":"c1"}}`}, 409},
		{[]string{`{"seq":3}`}, 409},
		{[]string{"no JSON"}, 409},
		{[]string{}, 200},
	} {
		body, err := json.Marshal(follow.CallLines{Machine: machineA, Lines: batch.lines})
		if err != nil {
			s.Fatal(err)
		}
		if resp, text := s.do(s.request("POST", "/v1/calls", string(body))); resp.StatusCode != batch.want {
			s.Errorf("%s: %s %s", body, resp.Status, text)
		}
	}
	for _, body := range []string{``, `{"machine":"../../x","lines":[]}`, `{"machine":"` + machineA + `","lines":[1]}`} {
		if resp, text := s.do(s.request("POST", "/v1/calls", body)); resp.StatusCode != 400 {
			s.Errorf("%s: %s %s", body, resp.Status, text)
		}
	}
	if status, _ := s.raw(fmt.Sprintf("POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{", s.secret, 1<<20+1)); status != 413 {
		s.Errorf("a body of a byte more than 1 MiB: %d", status)
	}
	meet("POST", "/v1/calls", "413")
	meet("POST", "/v1/calls", "404") // by a server without --bundle, in TestBundleIsOptIn
}

// TestReportsActAsTheAgent sends reports that a token's holder made up: they get no further than
// the proposals of its agent do.
func TestReportsActAsTheAgent(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", "http://hub.invalid", nil))
	p.configure("max_open_per_agent = 12\n")
	s := p.serve("--http", "127.0.0.1:0", "--bundle")
	// The user has a proposal about the same tool, and a set with the server's name.
	p.write("mine.json", `{"tools":[{"name":"find_x","description":"Find x, honest.","inputSchema":{"type":"object"}}]}`)
	p.run("import", "mine.json", "--server", "lib")
	mine := p.run("show", "set:lib")
	if made, refused := s.reported(report(machineA, "lib", "find_x", "Find x, honest."), report(machineB, "lib", "find_x", "Find x, honest.")); made != 0 || refused != "" {
		t.Errorf("what the user has proposed: %d %s", made, refused)
	}
	if made, refused := s.reported(report(machineA, "lib", "find_x", "Find x and send it.")); made != 1 || refused != "" {
		t.Errorf("another text: %d %s", made, refused)
	}
	if got := p.run("show", "set:lib"); strings.Contains(got, "send it") || strings.Count(got, "find_x") != strings.Count(mine, "find_x") {
		t.Errorf("the user's set was changed:\n%s", got)
	}
	if got := p.run("list", "--filter", "set:reported_lib", "--json"); !strings.Contains(got, `"author":"agent:`) && !strings.Contains(got, `"author": "agent:`) {
		t.Errorf("the author is not the agent: %s", got)
	}
	// Each machine counts once per tool of a server.
	s.reported(report(machineA, "one", "find_y", "Find y."), report(machineA, "two", "find_y", "Find y."), report(machineB, "two", "find_y", "Find y."))
	one, two := p.run("show", "set:reported_one"), p.run("show", "set:reported_two")
	if !strings.Contains(one+two, "find_y") {
		t.Errorf("%s%s", one, two)
	}
	comments := func(set string) string {
		for line := range strings.Lines(p.run("list", "--filter", "set:"+set)) {
			if number, _, ok := strings.Cut(strings.TrimPrefix(line, "#"), "\t"); ok && strings.HasPrefix(line, "#") {
				return p.run("show", number)
			}
		}
		return ""
	}
	if got := comments("reported_one"); !strings.Contains(got, "1 machine reported the text of revision 1") || strings.Contains(got, "2 machines") {
		t.Errorf("one: %s", got)
	}
	if got := comments("reported_two"); !strings.Contains(got, "2 machines reported the text of revision 1") {
		t.Errorf("two: %s", got)
	}
	// Only lists of MCP servers are accepted, and one report does not affect the others.
	var exported any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(p.run("export", "--format", "toolcrib"), "Plans trips at sea.", "Plans trips.")), &exported); err != nil {
		t.Fatal(err)
	}
	deep := func(server string, levels int) map[string]any {
		r := report(machineA, server, "find_deep", "Find it.")
		var nested any = map[string]any{}
		for range levels {
			nested = []any{nested}
		}
		r["document"].(map[string]any)["tools"].([]any)[0].(map[string]any)["deep"] = nested
		return r
	}
	made, refused := s.reported(
		map[string]any{"machine": machineA, "server": "weather", "document": exported},
		map[string]any{"machine": machineA, "server": "openai", "document": []any{map[string]any{"type": "function", "function": map[string]any{"name": "find_c", "description": "Find c.", "parameters": map[string]any{"type": "object"}}}}},
		map[string]any{"machine": machineA, "server": "texts", "document": map[string]any{"prompts": []any{map[string]any{"name": "p1", "description": "A prompt."}}}},
		map[string]any{"machine": machineA, "server": "foo", "document": map[string]any{"foo": 1}},
		map[string]any{}, report(strings.Repeat("\x1b", 32), "rr", "find_z", "Find z."), report(machineA+"0", "rr", "find_z", "Find z."), report(machineA, "", "find_z", "Find z."),
		deep("too_deep", 127), deep("deep", 124), report(machineA, "good", "find_good", "Find what is good."))
	if made != 2 || strings.Count(refused, "\n") != 9 || strings.Contains(refused, " true ") || !strings.Contains(refused, "\n8 false ") {
		t.Errorf("%d %s", made, refused)
	}
	if got := p.run("list"); strings.Count(got, "agent:user/") != 1 || strings.Contains(got, "find_c") || strings.Contains(got, "find_z") {
		t.Errorf("%s", got)
	}
	// Agents' limits apply, and reports below them are proposed.
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("get_thing_%d", i), fmt.Sprintf("Gets the thing number %d.", i))
	}
	made, refused = s.reported(report(machineA, "flood", many...))
	if made != 12-5 || !strings.HasPrefix(refused, "0 true too many open proposals") {
		t.Errorf("%d %s", made, refused)
	}
}

// TestBundleIsOptIn checks that serve does not publish the registry without --bundle, and that it publishes a new
// bundle only after approvals.
func TestBundleIsOptIn(t *testing.T) {
	shortrun.OneGoroutine(t)
	t.Parallel()
	p := open(t, tool("get_tides", "http://hub.invalid", nil))
	closed := p.serve("--http", "127.0.0.1:0")
	if status, doc := closed.get("/v1/bundle"); status != 404 || !strings.Contains(doc["error"].(map[string]any)["message"].(string), "serve --bundle") {
		t.Errorf("without --bundle: %d %v", status, doc)
	}
	if resp, _ := closed.do(closed.request("POST", "/v1/reports", `{"reports":[]}`)); resp.StatusCode != 404 {
		t.Errorf("reports without --bundle: %s", resp.Status)
	}
	if resp, _ := closed.do(closed.request("POST", "/v1/calls", `{"machine":"`+machineA+`","lines":[]}`)); resp.StatusCode != 404 {
		t.Errorf("calls without --bundle: %s", resp.Status)
	}
	closed.stop()
	s := p.serve("--http", "127.0.0.1:0", "--bundle")
	_, first := s.do(s.request("GET", "/v1/bundle", ""))
	_, _ = s.token("--name", "mate", "--user", "ada") // creates an event
	if _, again := s.do(s.request("GET", "/v1/bundle", "")); again != first {
		t.Error("an event that approves nothing changed the index")
	}
	p.approve(tool("get_stars", "http://hub.invalid", nil))
	_, again := s.do(s.request("GET", "/v1/bundle", ""))
	if again == first {
		t.Error("an approval did not change the index")
	}
	// The server reads only what is new, and publishes what a program would that reads everything.
	public := filepath.Join(t.TempDir(), "public")
	p.run("publish", public)
	if whole, err := os.ReadFile(filepath.Join(public, "index.json")); err != nil || string(whole) != again {
		t.Errorf("publish writes %s, %v; serve %s", whole, err, again)
	}
	i, err := bundle.DecodeIndex([]byte(first))
	if err != nil {
		t.Fatal(err)
	}
	for _, hash := range i.Parts { // followers may still be reading the previous bundle
		if resp, _ := s.do(s.request("GET", "/v1/bundle/"+follow.PartFile(hash), "")); resp.StatusCode != 200 {
			t.Errorf("the part %s of the index before: %s", hash, resp.Status)
		}
	}
	s.stop()
}
