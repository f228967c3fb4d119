package registry_test

import (
	"strings"
	"testing"

	"toolcrib/registry"
)

func TestWireName(t *testing.T) {
	long := strings.Repeat("listEverything", 5)
	from := func(kind registry.ToolKind, id, ref string) registry.Tool {
		return registry.Tool{ID: id, Kind: kind, Source: &registry.Source{Type: registry.SourceOpenAI, Ref: ref}}
	}
	action, prompt := registry.ActionTool, registry.PromptTool
	served := func(id, server, name string) registry.Tool {
		return registry.Tool{ID: id, Kind: action, Provider: &registry.Provider{Type: registry.ProviderMCP, Server: server, Name: name}}
	}
	for _, c := range []struct {
		tool registry.Tool
		want string
	}{
		{registry.Tool{ID: "get_tasks", Kind: action}, "get_tasks"},
		{from(action, "send_email", "app#sendEmail"), "sendEmail"},
		{from(action, "app_send_email", "app#sendEmail"), "app_sendEmail"},
		{from(action, "wx_get", "wx#wx_get"), "wx_get"}, // contains the name of the server
		{from(action, "get_weather", "get#getWeather"), "getWeather"},
		{served("tracker_list_issues", "tracker", "listIssues"), "tracker_listIssues"},
		{served("mail", "post", "sendMail"), "post_sendMail"}, // the id was changed by hand
		// names with the same id
		{served(registry.DistinctID("s", "getIt"), "s", "getIt"), "s_getIt"},
		{served(registry.DistinctID("s", "get-it"), "s", "get-it"), "s_get-it"},
		{served(registry.DistinctID("hub", "hub_search"), "hub", "hub_search"), "hub_hub_search"},
		{served(registry.DistinctID("hub", "search"), "hub", "search"), registry.DistinctID("hub", "search")},
		// names that a host rejects
		{served("fs_read_file", "fs", "read.file"), "fs_read_file"},
		{served(registry.ImportedID("s", long), "s", long), registry.ImportedID("s", long)},
		{from(action, "tool_x", "app#получить"), "tool_x"},
		{from(prompt, "old_pacer", "file#old.pacer"), "old.pacer"}, // a prompt is not a function
		{registry.Tool{ID: "get_tides", Kind: action, Provider: &registry.Provider{Type: registry.ProviderHTTP, Name: "getTides"}}, "getTides"},
		{registry.Tool{ID: "my_tasks", Kind: action, Provider: &registry.Provider{Type: registry.ProviderBuiltin, Name: "get_tasks"}}, "my_tasks"},
	} {
		if got := c.tool.WireName(); got != c.want {
			t.Errorf("%s of %+v%+v is called %s, want %s", c.tool.ID, c.tool.Source, c.tool.Provider, got, c.want)
		}
	}
}

// FuzzWireName checks names against the rules of hosts and against other names of
// the same server.
func FuzzWireName(f *testing.F) {
	f.Add("server", "tool", "Tool")
	f.Add("hub", "hub_search", "search")
	f.Fuzz(func(t *testing.T, server, a, b string) {
		name := func(name, id string) string {
			return registry.Tool{ID: id, Kind: registry.ActionTool, Source: &registry.Source{Ref: server + "#" + name}}.WireName()
		}
		if a == b || a == "" || b == "" || strings.ContainsAny(server+a+b, "#") || server == "" || registry.ImportedID("", server) != server {
			return
		}
		first, second := registry.ImportedID(server, a), registry.ImportedID(server, b)
		if first == second {
			first, second = registry.DistinctID(server, a), registry.DistinctID(server, b)
		}
		x, y := name(a, first), name(b, second)
		if x == y || len(x) > 64 {
			t.Errorf("%q and %q of %s are called %q and %q", a, b, server, x, y)
		}
	})
}
