package screen_test

import (
	"strings"
	"testing"
	"time"

	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// TestGeneratedTestsAreNotMissed compares two imports of a tool with different parameters. The import generated the
// test cases of both, so an upgrade drops none (T47).
func TestGeneratedTestsAreNotMissed(t *testing.T) {
	read := func(required string) wire.Document {
		doc, err := wire.Decode([]byte(`{"tools":[{"name":"find_ship","description":"Finds a ship.","inputSchema":{"type":"object","properties":{"name":{"type":"string"},"flag":{"type":"string","enum":["DE"]}},"required":[` + required + `]}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	origin := intake.Origin{Label: "s", Server: true, Layer: registry.LayerUser}
	before, after := read(`"name"`), read(`"name","flag"`)
	first := *intake.Plan(before, origin, intake.Live{})[0].Draft
	second := *intake.Plan(after, origin, intake.Live{
		All: []registry.Live{{Subject: first.Subject, Version: 1, Definition: first.Definition}},
		Raw: func(string) ([]byte, bool) { return before.Items[0].Raw, true },
	})[0].Draft
	d := review.Dossier{Base: &first.Definition, BaseTests: first.TestCases}
	d.Revision.Draft = second
	facts := func() string {
		var b strings.Builder
		for _, l := range (screen.Frame{Theme: theme.Plain(), Now: time.Now}).Facts("1/1", false, []review.Dossier{d}, "") {
			b.WriteString(l.String(80))
		}
		return b.String()
	}
	if got := facts(); strings.Contains(got, "dropped or changed") {
		t.Errorf("generated test cases are missed: %s", got)
	}
	d.Revision.Draft.TestCases = nil
	if got := facts(); !strings.Contains(got, "dropped or changed") {
		t.Errorf("test cases that a person dropped are not named: %s", got)
	}
}
