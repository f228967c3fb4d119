package settings

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/lists"
)

// TestConfigErrorsHaveAPlace checks that errors contain the position and the key, but no names of Go types.
func TestConfigErrorsHaveAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"theme = \"dark\"\nmax_open_per_agent = \"x\"":  "line 2, column 22: max_open_per_agent has a value of the wrong type",
		"[gateway]\nmax_pending = [1]":                  "line 2, column 15: ",
		"theme = dark":                                  "line 1, column 9: ",
		"theme = \"dark\"\ntheme = \"light\"":           "line 2, ",
		"[model]\nretries = 99999999999999999999999999": "line 2, column 11: ",
	} {
		var c Config
		_, _, err := DecodeConfig([]byte(text), &c)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "Go") || strings.Contains(err.Error(), "config.")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLimitsMustBePositive checks that a limit of 0 is refused, although 0 in a Config without a source means the default.
func TestLimitsMustBePositive(t *testing.T) {
	for _, key := range []string{"max_open_per_agent", "max_open_all_agents", "max_writes_per_agent_hour"} {
		c := Config{Chief: "builtin", MaxOpen: 1, MaxWrites: 1, Sources: map[string]string{}}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Decode("toolcrib.toml", fromUser, []byte(key+" = 0")); err != nil {
			t.Fatal(err)
		}
		c.Sources[key] = "toolcrib.toml"
		if err := c.check(); err == nil || !strings.Contains(err.Error(), key+" must be at least 1 (got 0)") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestConfigKeysInEveryForm reads the keys of tables, dotted keys, inline tables, and
// lists of tables in the order of the file.
func TestConfigKeysInEveryForm(t *testing.T) {
	const text = ByteOrderMark + `theme = "dark"
gateway.gate_url = "https://gate.example"
views = { b = "state:open", "a b" = "x" }
[gateway.hub_headers."hub.example"]
X-Key = "KEY"
[[reviewers]]
name = "mine"
`
	want := []string{"theme", "gateway.gate_url", "views", "views.b", `views."a b"`, `gateway.hub_headers."hub.example"`, `gateway.hub_headers."hub.example".X-Key`, "reviewers", "reviewers.name"}
	var c Config
	keys, unknown, err := DecodeConfig([]byte(text), &c)
	if got := lists.Map(keys, keyPath.String); err != nil || len(unknown) > 0 || !slices.Equal(got, want) {
		t.Errorf("%v, %v: %q", err, unknown, got)
	}
	if c.Theme != "dark" || c.Gateway.GateURL != "https://gate.example" || c.Views["a b"] != "x" || c.Gateway.HubHeaders["hub.example"]["X-Key"] != "KEY" || len(c.Reviewers) != 1 {
		t.Errorf("%+v", c)
	}
}

// TestUnknownKeysChangeNothing checks that a file with an unknown key does not change any setting.
func TestUnknownKeysChangeNothing(t *testing.T) {
	c := Config{Theme: "light"}
	_, unknown, err := DecodeConfig([]byte("theme = \"dark\"\nTheme = \"dark\""), &c)
	if err != nil || len(unknown) != 1 || unknown[0].String() != "Theme" || c.Theme != "light" {
		t.Errorf("%v, %v: %s", err, unknown, c.Theme)
	}
}

// TestFilesShareNothing applies a file to the settings of another, which must not change.
func TestFilesShareNothing(t *testing.T) {
	var mine Config
	if _, _, err := DecodeConfig([]byte("rules.N101 = \"info\"\n[gateway]\ngate = [\"a\"]\nlog_annotations = true\n[gateway.hub_headers.h]\nA = \"A\""), &mine); err != nil {
		t.Fatal(err)
	}
	over := mine
	if _, _, err := DecodeConfig([]byte("rules.N102 = \"off\"\n[gateway]\ngate = [\"b\"]\nlog_annotations = false\n[gateway.hub_headers.h]\nB = \"B\""), &over); err != nil {
		t.Fatal(err)
	}
	if len(mine.Rules) != 1 || mine.Gateway.Gate[0] != "a" || !*mine.Gateway.LogHints || len(mine.Gateway.HubHeaders["h"]) != 1 || mine.Gateway.HubHeaders["h"]["A"] != "A" {
		t.Errorf("%+v", mine)
	}
	if len(over.Rules) != 2 || over.Gateway.Gate[0] != "b" || *over.Gateway.LogHints || over.Gateway.HubHeaders["h"]["B"] != "B" {
		t.Errorf("%+v", over)
	}
}
