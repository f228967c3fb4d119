package registry_test

import (
	"regexp"
	"strings"
	"testing"

	"toolcrib/registry"
)

// The forms of names as documented.
var (
	idForm      = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	channelForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	projectForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	groupForm   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	zoneForm    = regexp.MustCompile(`^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$`)
	hashForm    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func FuzzForms(f *testing.F) {
	for _, s := range []string{
		"", "a", "a_b", "a__b", "_a", "a_", "a1", "1a", "A", "a-b", "a.b", "a/b", "a//b", "/a", "a/", "é", "a\n", "a\x00", "a\xff", ".a", "-a", "+1",
		strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("0", 64), strings.Repeat("g", 64),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag := registry.Tool{Tag: &registry.Tag{Prefix: "A", ArgGroups: []string{s}}}
		zone := registry.Agent{ID: "a", Name: "A", Timezone: s}
		source := registry.Tool{Source: &registry.Source{Type: registry.SourceFile, Ref: "x", Hash: s}}
		_, layerErr := registry.ParseLayer("project/" + s)
		for _, form := range []struct {
			name      string
			got, want bool
		}{
			{"id", registry.ValidID(s), len(s) <= 64 && idForm.MatchString(s)},
			{"channel", registry.ValidChannel(s), len(s) <= 64 && channelForm.MatchString(s)},
			{"project", layerErr == nil, projectForm.MatchString(s)},
			{"argument group", len(tag.Problems("")) == len(registry.Tool{Tag: &registry.Tag{Prefix: "A", ArgGroups: []string{"a"}}}.Problems("")), groupForm.MatchString(s)},
			{"time zone", zone.Problems("") == nil, s == "" || len(s) <= 64 && zoneForm.MatchString(s)},
			{"hash", len(source.Problems("")) == len(registry.Tool{}.Problems("")), hashForm.MatchString(s)},
		} {
			if form.got != form.want {
				t.Errorf("%q as %s: %v", s, form.name, form.got)
			}
		}
	})
}
