package literal

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/review/reach/fact"
)

// scan returns the facts of text as "kind use value".
func scan(text string, mode Mode, above int) []string {
	var l fact.List
	l.Read("a", text, above, func(d fact.Doc) { Hidden(d); Scan(d, mode, "use") })
	var out []string
	for _, f := range l.Facts() {
		out = append(out, strings.TrimSpace(string(f.Kind)+" "+f.Use+" "+f.Value))
	}
	return out
}

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"address", "Send it to https://ada:x@Drop.Example:8443/in?q=1.", []string{"out use drop.example"}},
		{"plain http", "fetch http://files.example/a", []string{"out use files.example", "out plain http files.example"}},
		{"link", "as [the guide](https://guide.example/a) says", []string{"link literal guide.example"}},
		{"label", "- Docs: https://guide.example/a", []string{"link literal guide.example"}},
		{"bucket", "copy to s3://mara-backups/x", []string{"out use s3://mara-backups"}},
		{"subdomain that is computed", "see https://${DATA}.drop.example/x now", []string{"out use *.drop.example"}},
		{"mailbox", "mail the notes to ada@letters.example today", []string{"out use ada@letters.example"}},
		{"git host", "clone git@code.example:ada/x.git now", []string{"out use code.example"}},
		{"address of four numbers", "connect to 203.0.113.9:4444 first", []string{"out use 203.0.113.9"}},
		{"metadata service", "ask 169.254.169.254 first", []string{"out use 169.254.169.254"}},
		{"host without scheme", "upload it to files.mara.example please", []string{"out use files.mara.example"}},
		{"private addresses", "http://localhost:3000 http://127.0.0.1 http://10.1.2.3 http://192.168.0.4/x http://printer.local http://app:8080 http://[::1]/", nil},
		{"example addresses", "https://example.com https://api.example.org/v1 https://your-domain.com https://my-app.com/x https://<host>/a https://{name}/b", nil},
		{"dotted words that are no hosts", "self.name user.id time.now README.md setup.py node.js os.environ page.mouse.click req.user.info e.g. i.e. v1.2.3 1.2.3.4.5", nil},
		{"versions", "needs tool=1.2.3.4 and v10.20.30.40", nil},
		{"names of documents", `xmlns="http://www.w3.org/2000/svg"`, []string{"out use www.w3.org"}},
		{"home", "reads ~/notes/today.txt and $HOME/x and %APPDATA%\\tool", []string{"file literal ~/notes/today.txt", "file literal $HOME/x", "file literal %APPDATA%\\tool"}},
		{"system", "in /var/lib/tool/x", []string{"file literal /var/lib/tool/x"}},
		{"windows", `in C:\Windows\System32`, []string{`file literal C:\Windows\System32`}},
		{"routes", "GET /home/feed, POST `/run/job`, /api/users/{id}, /users/me", nil},
		{"streams and interpreters", "#!/usr/bin/env python3 > /dev/null 2>/dev/stderr /bin/sh", nil},
		{"placeholders", "/path/to/file and /usr/path/to/x", nil},
		{"stores", "cat ~/.ssh/id_ed25519 .env config/.env.production prod.env deploy/app-prod.env ~/.aws/credentials deploy/key.pem conf/keychain.pem conf/site-cert.pfx", []string{
			"secret store ~/.ssh/id_ed25519", "secret store .env", "secret store config/.env.production", "secret store prod.env", "secret store deploy/app-prod.env", "secret store ~/.aws/credentials", "secret store deploy/key.pem", "secret store conf/keychain.pem", "secret store conf/site-cert.pfx",
		}},
		{"no stores", "cp .env.example, ignore *.pem and *.key, ca-cert.pem, cacerts-trust.p12, fullchain.pem, process.env, import.meta.env, example.env, c.env, env.env.x, .environment", nil},
		{"files that others obey", "see CLAUDE.md, .git/hooks/pre-commit, ~/.zshrc", []string{"file mentioned CLAUDE.md", "file mentioned .git/hooks/pre-commit", "file mentioned ~/.zshrc"}},
		{"flags", "with --dangerously-skip-permissions or --no-verify, not --verbose", []string{"rights use --dangerously-skip-permissions", "rights use --no-verify"}},
		{"settings", `NODE_TLS_REJECT_UNAUTHORIZED=0, rejectUnauthorized: false, "strict-ssl": false, verify=False`, []string{
			"rights use NODE_TLS_REJECT_UNAUTHORIZED=0", "rights use rejectUnauthorized=false", "rights use strict-ssl=false", "rights use verify=False",
		}},
		{"settings that are safe", "NODE_TLS_REJECT_UNAUTHORIZED=1 rejectUnauthorized: true verify=True, verify the result, privileged users", nil},
		{"modes", "set it to 0777, not 0755", []string{"rights use 0777"}},
		{"variables", "export NPM_TOKEN, read $DB_PASSWORD", []string{"secret variable NPM_TOKEN", "secret variable DB_PASSWORD"}},
		{"licenses", "see http://www.apache.org/licenses/ first", []string{"out use www.apache.org"}},
		{"no variables", "YOUR_API_KEY MAX_TOKENS_LEFT_OVER_X TOKENIZER_PATH COMPAT_MODE", nil},
		{"encoded", "run Y3VybCAtcyBodHRwczovL2Ryb3AuZXhhbXBsZS94 now", []string{"run decoded curl -s https://drop.example/x", "out decoded drop.example"}},
		{"hexadecimal", "6375726c2068747470733a2f2f64726f702e6578616d706c652f78", []string{"run decoded curl https://drop.example/x", "out decoded drop.example"}},
		{"sums", "sha512-7Lq9f0tTt8Y1mWc0O6yVhJk2nB3xZs5dQeRaUiPoLkMjNhBgVfCdXsZa 9f86d081884c7d659a2feaa0c55ad015", nil},
		{"tags", "hello\U000E0063\U000E0075\U000E0072\U000E006C\U000E0020\U000E007E\U000E002F\U000E0078", []string{"run decoded curl ~/x", "file literal ~/x"}},
		{"tool of a server", "call mcp__mail__send", []string{"other tool mcp__mail__send"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := scan(tt.text, Prose, 0); !slices.Equal(got, tt.want) {
				t.Errorf("%q\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestAbove(t *testing.T) {
	for text, want := range map[string]int{"../lib/x.py": 0, "../../lib/x.py": 0, "../../../lib/x.py": 1} {
		if got := scan("read "+text, Data, 2); len(got) != want {
			t.Errorf("%s below two folders: %q", text, got)
		}
	}
}

func TestTables(t *testing.T) {
	if got := scan("resolved https://registry.drop.example/a.tgz --no-verify ~/.ssh/id_rsa", Tables, 0); !slices.Equal(got, []string{"out use registry.drop.example"}) {
		t.Errorf("%q", got)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"https://a.example/x", "${A}.x", "a@b.example", "\U000E0063", "Y3VybCAtcyBodHRwczovL2Ryb3AuZXhhbXBsZS94", "../..", "${{{{", "verify=", "://[", "::", "C:\\x", "A_=", "-", "=", "~"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, mode := range []Mode{Prose, Data, Tables} {
			for _, line := range scan(s, mode, 1) {
				if line == "" {
					t.Error("an empty fact")
				}
			}
		}
	})
}

// TestValueAfter checks that the length of a setting's value is limited, because the value is read
// for each name.
func TestValueAfter(t *testing.T) {
	if got := valueAfter("verify=False", len("verify")); got != "False" {
		t.Errorf("value %q", got)
	}
	if got := valueAfter("verify"+strings.Repeat("=verify", 100_000), len("verify")); len(got) > maxSettingValue {
		t.Errorf("value of %d bytes", len(got))
	}
}
