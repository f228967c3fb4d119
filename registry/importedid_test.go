package registry_test

import (
	"testing"
	"unicode/utf8"

	"toolcrib/registry"
)

func TestImportedID(t *testing.T) {
	for _, c := range []struct{ server, name, want string }{
		{"", "get_tasks", "get_tasks"},
		{"tracker", "listIssues", "tracker_list_issues"},
		{"tracker", "tracker_list", "tracker_list"},
		{"@acme/tracker", "API-post-page", "acme_tracker_api_post_page"},
		{"", "HTTPServerName", "http_server_name"},
		{"", "get2Things", "get2_things"},
		{"", "2fa", "t_2fa"},
		{"", "read.file", "read_file"},
		{"", "--x--", "x"},
		{"mine", "\u00fcber_uns", "mine_uber_uns"}, // C66
	} {
		if got := registry.ImportedID(c.server, c.name); got != c.want {
			t.Errorf("%s of %q is %s, want %s", c.name, c.server, got, c.want)
		}
	}
	long := "a_very_long_name_that_goes_on_and_on_until_nobody_can_remember_how_it_began"
	if a, b := registry.ImportedID("", long), registry.ImportedID("", long+"_b"); a == b || !registry.ValidID(a) || !registry.ValidID(b) {
		t.Errorf("long names have the ids %s and %s", a, b)
	}
	if a, b := registry.DistinctID("", "get-it"), registry.DistinctID("", "getIt"); a == b || !registry.ValidID(a) {
		t.Errorf("conflicting names have the ids %s and %s", a, b)
	}
}

func FuzzImportedID(f *testing.F) {
	f.Add("server", "tool")
	f.Add("", "получить")
	f.Add("0", "\x00_")
	f.Fuzz(func(t *testing.T, server, name string) {
		if !utf8.ValidString(name) {
			return
		}
		for _, id := range []string{registry.ImportedID(server, name), registry.DistinctID(server, name)} {
			if !registry.ValidID(id) {
				t.Errorf("%q of %q has the id %q", name, server, id)
			}
		}
	})
}

func TestServerName(t *testing.T) {
	for file, want := range map[string]string{
		"tracker.json": "tracker", "dir/@acme__tracker@1.2.3.json": "acme_tracker", `C:\x\My Server.json`: "my_server", "-": "", "a@b.json": "a_b",
	} {
		if got := registry.ServerName(file); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
}
