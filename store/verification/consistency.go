// This file checks that the tables are consistent with each other.

package verification

import (
	"context"
	sqldriver "database/sql/driver"
	_ "embed" // the consistency checks
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/internal/plaintext"
	"toolcrib/registry/wire"
	"toolcrib/signing/statement"
	"toolcrib/store/assistant"
	"toolcrib/store/catalog"
	"toolcrib/store/engine"
	"toolcrib/store/session"
	"toolcrib/store/table"
	"toolcrib/store/workspaces"
)

// The consistency checks that need only a query, in the format that engine.Checks parses.
var (
	//go:embed consistency/registry.sql
	registrySQL string
	//go:embed consistency/queue.sql
	queueSQL string
	//go:embed consistency/calls.sql
	callsSQL string
	//go:embed consistency/assistant.sql
	assistantSQL string
	//go:embed consistency/imports.sql
	importsSQL string
	//go:embed consistency/records.sql
	recordsSQL string
	//go:embed consistency/each_record.sql
	eachRecordSQL string
	//go:embed consistency/live.sql
	liveSQL string
)

// Inconsistencies implements history.Ledger. If damage causes a check to fail, the failure is reported as damage, and
// the other checks still run.
func (l Ledger) Inconsistencies(ctx context.Context, deep bool, fn func(history.Damage)) error {
	blocks, err := l.sketchInspections(ctx, deep)
	if err != nil {
		return err
	}
	drafts, err := l.draftInspections(ctx)
	if err != nil {
		return err
	}
	checks := slices.Concat(engine.Checks(registrySQL+queueSQL+callsSQL+assistantSQL+importsSQL), l.engine.IndexChecks())
	recomputed := []inspection{
		{"proposals", waivedCounts},
		{"live", l.facts.liveColumnsAgree},
		eachRow("raws", "SELECT hash, body FROM raws ORDER BY hash", "Its content does not match its hash.", func(f []string) bool {
			got, err := wire.HashRaw([]byte(f[1]))
			return err == nil && got == f[0]
		}),
		{"contents", contentsAgree},
		eachRow("owners", `SELECT "user", customer, instructions, seal FROM owners ORDER BY id`, "The instructions used in prompts do not match their seal.", func(f []string) bool {
			return f[3] == assistant.SealOfOwner(f[1], f[0], f[2])
		}),
		eachRow("projects", "SELECT id, name, name_key FROM projects", otherName, func(f []string) bool { return f[2] == builtin.NameKey(f[1]) }),
		eachRow("entities", "SELECT id, name, name_key FROM entities", otherName, func(f []string) bool { return f[2] == builtin.EntityKey(f[1]) }),
		{"signed_subjects", signedSubjects},
		eachRow("workspaces", "SELECT dir, project, seal FROM workspaces ORDER BY dir", "The folder or its project does not match its seal.", func(f []string) bool {
			return f[2] == workspaces.SealOfWorkspace(f[0], f[1])
		}),
	}
	return l.inspectAll(ctx, slices.Concat(inspections(checks), recomputed, unsealedTexts(), blocks, drafts), fn)
}

// References implements history.Ledger. If the rows that were already read prove that the references agree, it
// skips the checks of records and of the live registry.
func (l Ledger) References(ctx context.Context, fn func(history.Damage)) error {
	var checks []engine.Check
	logged, err := l.recordsAreLogged(ctx)
	if err != nil {
		return err
	}
	if !logged {
		seals := "SELECT hash FROM versions UNION ALL SELECT hash FROM imports"
		var each []engine.Check
		for _, table := range recordNames() {
			seals += " UNION ALL SELECT seal FROM " + table
			each = append(each, engine.Checks(strings.ReplaceAll(eachRecordSQL, "TABLE", table))...)
		}
		checks = append(engine.Checks(strings.ReplaceAll(recordsSQL, "SEALS", seals)), each...)
	}
	current, err := l.liveIsNewest(ctx)
	if err != nil {
		return err
	}
	if !current {
		checks = append(checks, engine.Checks(liveSQL)...)
	}
	return l.inspectAll(ctx, inspections(checks), fn)
}

// inspectAll runs inspections in parallel, each with an idle session. If an inspection fails, inspectAll reports the
// failure as damage.
func (l Ledger) inspectAll(ctx context.Context, list []inspection, fn func(history.Damage)) error {
	found := make([][]history.Damage, len(list))
	var running sync.WaitGroup
	for i, in := range list {
		running.Go(func() {
			add := func(d history.Damage) { found[i] = append(found[i], d) }
			if err := l.use(ctx, func(s *session.Session) error { return in.run(ctx, s, add) }); err != nil {
				add(history.Damage{Table: in.table, Message: fmt.Sprintf("Cannot compare the table with other tables: %v.", err)})
			}
		})
	}
	running.Wait()
	for _, damage := range slices.Concat(found...) {
		fn(damage)
	}
	return ctx.Err()
}

// inspection is a function that looks for damage in a table.
type inspection struct {
	table string
	run   func(ctx context.Context, s *session.Session, fn func(history.Damage)) error
}

// inspections returns an inspection for each check.
func inspections(checks []engine.Check) []inspection {
	return lists.Map(checks, func(c engine.Check) inspection {
		return inspection{c.Table, func(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
			keys, err := table.All(ctx, s, table.ScanValue[string], c.Query)
			for _, key := range keys {
				fn(history.Damage{Table: c.Table, Key: key, Message: c.Message})
			}
			return err
		}}
	})
}

// recordsAreLogged reports whether the log refers to all records in their order, and whether the sequence numbers of
// the records have no gaps.
func (l Ledger) recordsAreLogged(ctx context.Context) (bool, error) {
	if !l.crossCheck.agrees() {
		return false, nil
	}
	whole := true
	err := l.use(ctx, func(s *session.Session) error {
		for _, table := range append(recordNames(), catalog.VersionTable.Name) {
			var rows, first, last int64
			if err := s.Row(ctx, "SELECT count(*), coalesce(min(seq), 1), coalesce(max(seq), 0) FROM "+table, nil, &rows, &first, &last); err != nil {
				return err
			}
			whole = whole && first == 1 && rows == last
		}
		return nil
	})
	return whole && err == nil, ctx.Err()
}

// liveIsNewest reports whether the live registry contains the newest version of each subject.
func (l Ledger) liveIsNewest(ctx context.Context) (bool, error) {
	if !l.crossCheck.complete[catalog.VersionTable.Name] {
		return false, nil
	}
	rows, agrees := 0, true
	err := l.use(ctx, func(s *session.Session) error {
		return texts(ctx, s, "SELECT subject, version, content_hash FROM live"+s.Hints.NotIndexed(), nil, func(fields []string) error {
			rows++
			agrees = agrees && l.crossCheck.liveAgrees(fields[0], fields[1], fields[2])
			return nil
		})
	})
	return agrees && err == nil && rows == len(l.crossCheck.newest), ctx.Err()
}

const otherName = "Its index entry has a different name."

// eachRow returns an inspection that runs a query and reports each row for which valid returns false. The first column
// of the query is the key in the report.
func eachRow(name, query, message string, valid func(fields []string) bool) inspection {
	return inspection{name, func(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
		return texts(ctx, s, query, nil, func(fields []string) error {
			if !valid(fields) {
				fn(history.Damage{Table: name, Key: fields[0], Message: message})
			}
			return nil
		})
	}}
}

// signedSubjects checks the index signed_subjects, which lists each signed statement under all its subjects. It reports
// statements that the index does not list under all their subjects, and statements that it lists under other subjects.
// The verification of signatures reports statements that cannot be decoded.
func signedSubjects(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
	type key struct {
		signature int64
		about     string
	}
	wanted, wrong := map[key]bool{}, map[int64]bool{}
	err := s.Each(ctx, "SELECT seq, statement FROM signatures ORDER BY seq", nil, func(row table.Scanner) error {
		var seq int64
		var text []byte
		if err := row.Scan(&seq, &text); err != nil {
			return err
		}
		st, err := statement.Decode(text)
		if err != nil {
			return nil //nolint:nilerr // records that refer to the statement are not valid
		}
		for _, about := range statement.About(st.Act) {
			wanted[key{seq, about}] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = s.Each(ctx, "SELECT signature, about FROM signed_subjects", nil, func(row table.Scanner) error {
		var k key
		err := row.Scan(&k.signature, &k.about)
		if !wanted[k] {
			wrong[k.signature] = true
		}
		delete(wanted, k)
		return err
	})
	for k := range wanted {
		wrong[k.signature] = true
	}
	for _, seq := range slices.Sorted(maps.Keys(wrong)) {
		fn(history.Damage{Table: "signed_subjects", Key: fmt.Sprintf("signatures row %d", seq), Message: "The index contains the statement under wrong subjects."})
	}
	return err
}

// unsealedTexts returns inspections for tables without seals. They report texts that can no longer be stored, such as
// texts with invalid UTF-8. Other checks cover sealed rows, and the tables proposals, issues, live, and names, which
// must match sealed texts.
func unsealedTexts() []inspection {
	var list []inspection
	for _, name := range []string{
		"call_refusals", "conversations", "core", "entities", "history_files", "imports", "live_files", "memories", "memory_links",
		"owners", "pending_exports", "projects", "proposal_rules", "reminders", "schedules", "shown", "tasks", "workspaces",
	} {
		list = append(list, inspection{name, func(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
			return s.EachRaw(ctx, "SELECT * FROM "+name, func(values []sqldriver.Value) error {
				for _, value := range values {
					text, _ := value.(string)
					if plaintext.Problem(text) != "" {
						key, err := table.Text(values[0])
						fn(history.NotText(name, key))
						return err
					}
				}
				return nil
			})
		}})
	}
	return list
}
