package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/gateway/follow"
	"toolcrib/internal/shortrun"
	"toolcrib/review/bundle"
)

// bundle reads the published registry with every kind of request.
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
	meet("GET", "/v1/bundle", "404") // by a server without --bundle, in TestBundleIsOptIn
}

// reports tells the server of what followers met.
func (s *server) reports() {
	const ok = `{"machine":"0123456789abcdef0123456789abcdef","server":"library","document":{"tools":[{"name":"find_book","description":"Find a book.","inputSchema":{"type":"object"}}]}}`
	post := func(body string) (int, map[string]any) {
		resp, text := s.do(s.request("POST", "/v1/reports", body))
		return resp.StatusCode, document(text)
	}
	if status, doc := post(`{"reports":[` + ok + `]}`); status != 200 || doc["proposals"] != 1.0 {
		s.Errorf("a report: %d %v", status, doc)
	}
	if status, doc := post(`{"reports":[` + ok + `,` + strings.Replace(ok, "0123", "4567", 1) + `]}`); status != 200 || doc["proposals"] != 0.0 {
		s.Errorf("again, and by another machine: %d %v", status, doc)
	}
	if out := s.run("show", "set:library"); strings.Count(out, "find_book") == 0 {
		s.Errorf("no proposal: %s", out)
	}
	for _, body := range []string{``, `[]`, `{"reports":[{}]}`, `{"reports":[` + strings.Replace(ok, "0123", "", 1) + `]}`, `{"reports":[` + strings.Repeat(ok+",", 100) + ok + `]}`, `{"report":[]}`} {
		if status, doc := post(body); status != 400 {
			s.Errorf("%.60s: %d %v", body, status, doc)
		}
	}
	if status, _ := s.raw(fmt.Sprintf("POST /v1/reports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{", s.secret, 1<<20+1)); status != 413 {
		s.Errorf("a body of a byte more than 1 MiB: %d", status)
	}
	meet("POST", "/v1/reports", "413")
	meet("POST", "/v1/reports", "404") // by a server without --bundle, in TestBundleIsOptIn
}

// TestBundleIsOptIn refuses the registry where nobody asked serve to offer it, and otherwise
// publishes it again after an approval only.
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
	closed.stop()
	s := p.serve("--http", "127.0.0.1:0", "--bundle")
	_, first := s.do(s.request("GET", "/v1/bundle", ""))
	_, _ = s.token("--name", "mate", "--user", "ada") // an event
	if _, again := s.do(s.request("GET", "/v1/bundle", "")); again != first {
		t.Error("an event that approves nothing changed the index")
	}
	p.approve(tool("get_stars", "http://hub.invalid", nil))
	if _, again := s.do(s.request("GET", "/v1/bundle", "")); again == first {
		t.Error("an approval did not change the index")
	}
	i, err := bundle.DecodeIndex([]byte(first))
	if err != nil {
		t.Fatal(err)
	}
	for _, hash := range i.Parts { // a follower may still be reading the bundle before
		if resp, _ := s.do(s.request("GET", "/v1/bundle/"+follow.PartFile(hash), "")); resp.StatusCode != 200 {
			t.Errorf("the part %s of the index before: %s", hash, resp.Status)
		}
	}
	s.stop()
}
