package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/service"
	"toolcrib/store/catalog"
	"toolcrib/store/storetest"
)

// edited is a database in which columns are edited without the triggers that protect them.
type edited struct {
	db   *storetest.Database
	desk *service.Desk
	tool registry.Subject // live
	open proposals.ID     // with an assessment, a waiver, and a comment
	raw  string           // hash of imported JSON
}

const editedBody = `{"name":"find_book","description":"Finds a book.","inputSchema":{"type":"object"}}`

func newEdited(t *testing.T, db *storetest.Database, open proposals.ID) edited {
	t.Helper()
	raw, err := wire.HashRaw([]byte(editedBody))
	if err != nil {
		t.Fatal(err)
	}
	return edited{db, db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()}), registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "harbour_pacer"}, open, raw}
}

// fill creates a live tool with a category, a proposal, a tier, and an import.
func (x *edited) fill(t *testing.T) error {
	t.Helper()
	ctx := t.Context()
	draft := storetest.Prompt(x.tool.ID)
	tool := *draft.Definition.Tool
	tool.Category = "planning"
	draft.Definition.Tool = &tool
	x.db.Approved(t, x.desk, ada, draft)
	next := storetest.Prompt("pier_pacer")
	x.open = storetest.ProposeChoices(t, x.desk, ada, next)[0].ID
	shown, err := x.desk.Reading.Show(ctx, ada, x.open)
	if err != nil {
		return err
	}
	as := *shown.Assessment()
	_, err = x.desk.Assessing.Assess(ctx, proposals.Actor{Kind: proposals.Chief, Name: "carla"}, x.open, review.Opinion{
		Revision: as.Revision, ContentHash: as.ContentHash, Recommendation: proposals.RecommendApprove, Comment: "It is warned about.",
		Findings: []rules.Finding{{Severity: rules.Warn, Path: "definition.goals", Message: "It has none."}},
	})
	if err != nil {
		return err
	}
	if _, err := x.desk.Deciding.Waive(ctx, ada, x.open, "X001", "It is meant so.", nil); err != nil {
		return err
	}
	if _, err := x.desk.Drafting.Comment(ctx, ada, x.open, "Look at the end.", review.Anchor{}); err != nil {
		return err
	}
	err = x.db.KeepImport(ctx, catalog.Import{ID: x.db.NewID(), At: x.db.Clock.Now(), Actor: "user:ada", Format: "mcp", Label: "library", Hash: registry.HashBytes(nil), Tools: []catalog.Raw{{Hash: x.raw, Body: []byte(editedBody)}}})
	if err != nil {
		return err
	}
	return x.db.Calls().Durable(ctx, func(tx gateway.LedgerTx) error {
		return tx.AddOverride(ctx, gateway.Override{ID: x.db.NewID(), User: "ada", Tool: x.tool, Tier: registry.RequiresApproval, By: ada, At: x.db.Clock.Now()})
	})
}

// readers returns functions that use the database in different ways.
func (x edited) readers(t *testing.T) map[string]func() error {
	t.Helper()
	ctx := t.Context()
	view := registry.LayerUser.View()
	query := catalog.Query{Kind: registry.KindTool, View: view, Category: "planning"}
	return map[string]func() error{
		"live": func() error {
			return x.db.View(ctx, func(r review.Reader) error {
				l, err := r.Live(ctx, x.tool)
				return errors.Join(err, l.Refused)
			})
		},
		"find": func() error {
			_, _, err := x.db.Find(ctx, query, x.tool.String())
			return err
		},
		"export": func() error {
			found, err := x.db.Export(ctx, catalog.Query{Kind: registry.KindTool, View: view, All: true})
			if err == nil && !slices.ContainsFunc(found, func(e catalog.Exported) bool { return e.Subject == x.tool }) {
				err = proposals.ErrNotFound
			}
			return err
		},
		"version": func() error {
			return x.db.View(ctx, func(r review.Reader) error {
				_, err := r.Version(ctx, x.tool, 1)
				return err
			})
		},
		"history": func() error {
			_, err := x.db.Versions(ctx, x.tool, 0, 10)
			return err
		},
		"blame": func() error {
			return x.db.EachVersion(ctx, x.tool, func(history.Version) error { return nil })
		},
		"show": func() error {
			_, err := x.desk.Reading.Show(ctx, ada, x.open)
			return err
		},
		"decisions": func() error {
			return x.db.View(ctx, func(r review.Reader) error {
				versions, err := x.db.Versions(ctx, x.tool, 0, 1)
				if err == nil && len(versions) == 1 {
					_, err = r.Decisions(ctx, proposals.ID(versions[0].Proposal))
				}
				return err
			})
		},
		"approve": func() error {
			_, err := x.desk.DryRun().Deciding.Approve(ctx, ada, []review.Choice{{ID: x.open}}, "")
			return err
		},
		"tiers": func() error {
			return x.db.Calls().View(ctx, func(r gateway.LedgerReader) error {
				_, one := r.Override(ctx, "ada", x.tool)
				_, all := r.Overrides(ctx, "ada")
				if one == nil || all == nil {
					return nil
				}
				return one
			})
		},
		"raw": func() error {
			_, ok, err := x.db.Raw(ctx, x.raw)
			if err == nil && !ok {
				err = proposals.ErrNotFound
			}
			return err
		},
	}
}

// editedTables lists, for each table, the readers of all its columns, the row that they read, and the columns that no
// reader uses.
var editedTables = map[string]struct{ readers, row, unused string }{
	"live":        {"live find export", "subject = 'tool:user/harbour_pacer'", "size"}, // determines the size of a list
	"versions":    {"version history blame", "subject = 'tool:user/harbour_pacer'", "seq kind layer id"},
	"revisions":   {"show approve", "proposal = '%s'", "seq"},
	"assessments": {"approve", "proposal = '%s' AND seq = (SELECT max(seq) FROM assessments)", "seq proposal revision"}, // without it, an earlier assessment is used
	"waivers":     {"show approve", "proposal = '%s'", "seq proposal id"},                                               // without it, the finding is open; the waiver repeats its id
	"comments":    {"show", "proposal = '%s'", "seq proposal"},                                                          // the comment is then missing
	"decisions":   {"decisions", "subject = 'tool:user/harbour_pacer'", "seq proposal"},
	"call_tiers":  {"tiers", "tool = 'tool:user/harbour_pacer'", "seq user tool"}, // the tier is then missing
	"raws":        {"raw", "hash <> ''", ""},
}

// TestEditedByHand edits each column that a hash covers. Every reader must reject the row, even if nothing is signed
// (S33).
func TestEditedByHand(t *testing.T) {
	shortrun.OneGoroutine(t)
	var x edited
	image, err := storetest.Image(func(db *storetest.Database) error {
		x = newEdited(t, db, "")
		return x.fill(t)
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range newEdited(t, storetest.FromImage(t, image), x.open).readers(t) {
		if err := read(); err != nil {
			t.Fatalf("%s, of what nobody edited: %v", name, err)
		}
	}
	h := openRawDB(t, storetest.FromImage(t, image))
	for table, of := range editedTables {
		numbers, err := h.numbers(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range h.columns(table) {
			if slices.Contains(strings.Fields(of.unused), strings.Trim(column, `"`)) {
				continue
			}
			value := "'x' || " + column
			switch {
			case table == "raws" && column == "body":
				value = fmt.Sprintf(`CAST('%s' AS %s)`, strings.Replace(editedBody, "Finds", "Sends", 1), map[bool]string{true: "bytea", false: "blob"}[storetest.OnPostgres()])
			case column == "locked":
				value = map[bool]string{true: "NOT locked", false: "1 - locked"}[storetest.OnPostgres()]
			case slices.Contains(numbers, column):
				value = column + " + 1"
			case column == "draft", column == "definition", column == "waiver", column == "report":
				value = "replace(" + column + ", 'It ', 'Is ')"
				if column == "draft" || column == "definition" {
					value = "replace(" + column + ", 'Find where', 'Hide where')"
				}
			case column == "status" && table == "live":
				value = "'deactivated'"
			}
			row := of.row
			if strings.Contains(row, "%s") {
				row = fmt.Sprintf(row, x.open)
			}
			t.Run(table+"."+column, func(t *testing.T) {
				db := storetest.FromImage(t, image)
				by := openRawDB(t, db)
				if err := by.conn.Unlocked(t.Context(), "UPDATE "+table+" SET "+column+" = "+value+" WHERE "+row); err != nil {
					t.Skipf("the engine refuses the edit: %v", err)
				}
				readers := newEdited(t, db, x.open).readers(t)
				for _, name := range strings.Fields(of.readers) {
					if err := readers[name](); err == nil {
						t.Errorf("%s takes the edited row", name)
					}
				}
			})
		}
	}
}
