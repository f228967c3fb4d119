package store_test

import (
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/catalog"
	"toolcrib/store/storetest"
)

// TestCatalogGroups counts and lists the tools of two servers, one of which hides a global tool, without a deactivated
// tool (T21).
func TestCatalogGroups(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	q := catalog.Query{Kind: registry.KindTool, View: registry.LayerUser.View()}
	before, err := db.CatalogGroups(t.Context(), q)
	if err != nil || len(before) != 1 || before[0].Layer != registry.LayerGlobal {
		t.Fatalf("%+v, %v", before, err)
	}
	from := func(id, server string) {
		d := storetest.Action(id)
		d.Definition.Tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: server, Name: id}
		db.Approved(t, desk, ada, d)
	}
	for _, id := range []string{"rows_a", "rows_b", "rows_c"} {
		from(id, "ledger")
	}
	from("rows_d", "tracker")
	from("get_tasks", "tracker") // hides a shipped tool
	off := storetest.StatusChange("deactivate", registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "rows_c"}, 1, 0)
	db.Approved(t, desk, ada, off)

	groups, err := db.CatalogGroups(t.Context(), q)
	ledger, tracker := catalog.Group{Layer: registry.LayerUser, Source: "ledger"}, catalog.Group{Layer: registry.LayerUser, Source: "tracker"}
	want := []catalog.GroupCount{{Group: before[0].Group, Count: before[0].Count - 1}, {Group: ledger, Count: 2}, {Group: tracker, Count: 2}}
	if err != nil || len(groups) != len(want) || groups[0] != want[0] || groups[1] != want[1] || groups[2] != want[2] {
		t.Fatalf("%+v, want %+v (%v)", groups, want, err)
	}
	q.Group, q.Limit = &ledger, 1
	for _, id := range []string{"rows_a", "rows_b"} {
		page, err := db.Catalog(t.Context(), q)
		if err != nil || len(page.Entries) != 1 || page.Entries[0].Subject.ID != id || page.Entries[0].Source != "ledger" || (page.Next == "") != (id == "rows_b") {
			t.Errorf("%s: %+v, %v", id, page, err)
		}
		q.After = page.Next
	}
}
