package tui_test

import (
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// exploreList returns a draft of the user's allow-list explore, which takes precedence over the one shipped with
// toolcrib.
func exploreList(b *workbench, tools ...string) proposals.Draft {
	b.t.Helper()
	d := b.file("name_bank.json")
	d.Subject = registry.Subject{Kind: registry.KindList, Layer: registry.LayerUser, ID: "explore"}
	d.Definition = registry.Definition{List: &registry.List{ID: "explore", Name: "My explore", Tools: tools}}
	return d
}

// TestAllowListsPage goes from the agents to the allow-lists, and there to a list, its versions, their differences,
// and the references to it.
func TestAllowListsPage(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, func(b *workbench) {
		b.approved(exploreList(b, "file_reader"))
		wider, version := exploreList(b, "file_reader", "file_locator"), 1
		wider.Type, wider.BaseVersion = proposals.Modify, &version
		b.approved(wider)
	})
	b.press("A").wants("▎Agents")
	b.press("A").wants("▎Allow-lists", "11 live definitions in the layer user")
	b.press("/").write("explore").press("enter").wants("1 live definition in the layer user", "user", "My explore", "v2")
	if strings.Contains(b.screen(), "authoring") {
		t.Errorf("the filter leaves other lists:\n%s", b.screen())
	}
	b.press("enter").wants("Lists › list:user/explore", "My explore", "file_locator")
	b.press("tab").wants("▎Versions", "v2", "v1")
	b.press("enter").wants("file_locator")
	b.press("esc", "tab").wants("▎Blame")
	b.press("tab").wants("▎Agents and tools")
	b.press("esc").wants("▎Allow-lists", "My explore")
}

// TestDeactivatedListIsGone deactivates the user's list. The shipped list stays hidden, and the page shows one list
// fewer.
func TestDeactivatedListIsGone(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 30, func(b *workbench) {
		b.approved(exploreList(b, "file_reader"))
		off, version := exploreList(b), 1
		off.Type, off.BaseVersion, off.Definition = proposals.Deactivate, &version, registry.Definition{}
		b.approved(off)
	})
	b.press("A", "A").wants("▎Allow-lists", "10 live definitions in the layer user", "execute")
	if strings.Contains(b.screen(), "explore ") {
		t.Errorf("a deactivated list is shown:\n%s", b.screen())
	}
}
