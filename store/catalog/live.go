// This file reads and writes live definitions and their names.

package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/store/engine"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// scanLive scans a live definition. If the definition or its row was modified outside of toolcrib,
// scanLive returns the result of Refuse.
func (s Registry) scanLive(row table.Scanner) (registry.Live, error) {
	var l registry.Live
	var subject, text, shown string
	var consistent bool
	if err := row.Scan(&subject, &l.Version, &l.ContentHash, &l.Locked, &text, &consistent, &shown); err != nil {
		return l, err
	}
	if err := table.Into(&l.Subject, registry.ParseSubject, subject); err != nil {
		return l, err
	}
	d, err := session.Cached[decoded](s.Session).definition(l.Subject.Kind, text)
	if !consistent || err != nil || d.hash != l.ContentHash || d.shown != shown || l.Locked != locked(l.Subject) {
		return l.Refuse(changedByHand(l.Subject, l.Version)), nil
	}
	l.Definition = d.Definition
	return l, nil
}

// maxDecoded limits the total size of the cached definitions, in bytes of JSON.
const maxDecoded = 2 << 20

// decoded caches decoded definitions across the transactions of a session, which often read the
// same definitions. Code that reads the registry never modifies a definition.
type decoded struct {
	byText map[definitionText]decodedDefinition
	size   int // total length of the keys, in bytes
}

// decodedDefinition is a decoded definition with its hash. The field shown contains the values
// that the live row repeats.
type decodedDefinition struct {
	registry.Definition
	hash, shown string
}

type definitionText struct {
	kind registry.Kind
	text string
}

// definition decodes text, the canonical JSON of a definition, and caches the result.
func (d *decoded) definition(kind registry.Kind, text string) (decodedDefinition, error) {
	key := definitionText{kind, text}
	if known, ok := d.byText[key]; ok {
		return known, nil
	}
	def := decodedDefinition{hash: registry.HashBytes([]byte(text))}
	var err error
	if def.Definition, err = registry.DecodeDefinition(kind, []byte(text)); err != nil {
		return def, err
	}
	if def.shown, err = shownText(def.Columns()); err != nil {
		return def, err
	}
	if d.size += len(text); d.byText == nil || d.size > maxDecoded {
		d.byText, d.size = map[definitionText]decodedDefinition{}, len(text)
	}
	d.byText[key] = def
	return def, nil
}

// Live implements review.RegistryReader.
func (s Registry) Live(ctx context.Context, subject registry.Subject) (registry.Live, error) {
	found, err := s.Find(ctx, LiveFrom+"WHERE l.subject = $1", subject.String())
	return table.First(found, err, "%s", subject)
}

// namesAtOnce is the maximum number of names in a statement. It must be a power of eight.
const namesAtOnce = 512

// ByName implements review.RegistryReader.
func (s Registry) ByName(ctx context.Context, names ...string) ([]registry.Live, error) {
	var found []registry.Live
	for list := range slices.Chunk(names, namesAtOnce) {
		size := 1
		for size < len(list) {
			size *= 8 // few different sizes, to limit the number of prepared statements
		}
		args := make([]any, size)
		for i := range args {
			args[i] = list[min(i, len(list)-1)]
		}
		some, err := s.Find(ctx, LiveFrom+"WHERE l.subject IN (SELECT subject FROM names WHERE name IN ("+engine.Placeholders(1, size)+")) ORDER BY l.subject", args...)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	if len(names) > namesAtOnce {
		slices.SortFunc(found, func(a, b registry.Live) int { return cmp.Compare(a.Subject.String(), b.Subject.String()) })
		found = slices.CompactFunc(found, func(a, b registry.Live) bool { return a.Subject == b.Subject })
	}
	return found, nil
}

// ByWire implements review.RegistryReader. A wire name is the name of a tool on its server. It can
// have a prefix, which is the name of the server and "_". The index contains only names without
// this prefix. ByWire therefore looks up the whole name and the rest of the name after each "_".
func (s Registry) ByWire(ctx context.Context, name string) ([]registry.Live, error) {
	ends := []string{name}
	for i, r := range name {
		if r == '_' && i+1 < len(name) {
			ends = append(ends, name[i+1:])
		}
	}
	found, err := s.Find(ctx, LiveFrom+"WHERE l.origin IN (SELECT value FROM json_each($1, '$')) AND l.origin <> '' ORDER BY l.subject", table.JSONArray(ends))
	return slices.DeleteFunc(found, func(l registry.Live) bool {
		t := l.Definition.Tool
		return t == nil || t.WireName() != name && t.OriginName() != name
	}), err
}

// FromServer implements review.RegistryReader.
func (s Registry) FromServer(ctx context.Context, name string) ([]registry.Live, error) {
	return s.Find(ctx, LiveFrom+"WHERE l.source = $1 AND l.source <> '' AND l.kind = 'tool' ORDER BY l.subject", name)
}

// Containing implements reach.Registry. It reads all live definitions once.
func (s Registry) Containing(ctx context.Context, words []string) ([]registry.Live, error) {
	subjects := []string{}
	err := s.Each(ctx, "SELECT l.subject, lower(v.definition) "+LiveFrom, nil, func(row table.Scanner) error {
		var subject, text string
		err := row.Scan(&subject, &text)
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) }) {
			subjects = append(subjects, subject)
		}
		return err
	})
	if err != nil || len(subjects) == 0 {
		return nil, err
	}
	return s.Find(ctx, LiveFrom+"WHERE l.subject IN (SELECT value FROM json_each($1, '$')) ORDER BY l.subject", table.JSONArray(subjects))
}

// InCategory implements review.RegistryReader.
func (s Registry) InCategory(ctx context.Context, category string) ([]registry.Live, error) {
	return s.Find(ctx, LiveFrom+"WHERE l.kind = 'tool' AND l.category = $1 AND l.category <> '' ORDER BY l.id, l.layer", category)
}

// OfKind implements registry.Finder.
func (s Registry) OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) ([]registry.Live, error) {
	ids, args := ofKind(kind, view, limit)
	return s.Find(ctx, LiveFrom+"WHERE "+ids+" ORDER BY l.id, l.layer", args...)
}

// Heads implements review.RegistryReader. If signatures are required, it reads and verifies the
// whole definitions.
func (s Registry) Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) (heads []registry.Live, size int, err error) {
	ids, args := ofKind(kind, view, limit)
	heads, err = table.All(ctx, s, func(row table.Scanner) (registry.Live, error) {
		tool, bytes := &registry.Tool{}, 0
		l := registry.Live{Subject: registry.Subject{Kind: registry.KindTool}, Definition: registry.Definition{Tool: tool}}
		err := row.Scan(&tool.ID, &l.Subject.Layer, &tool.Kind, &tool.Status, &bytes)
		size += bytes
		l.Subject.ID = tool.ID
		l.Locked = locked(l.Subject)
		return l, err
	}, "SELECT l.id, l.layer, l.tool_kind, l.status, l.size FROM live l WHERE l.tool_kind IN ('prompt', 'action', 'text') AND "+ids, args...) // an index contains these columns
	if err != nil {
		return nil, 0, err
	}
	if p, err := records.Signatures(s).Proofs(ctx); err != nil || p == nil {
		return heads, size, err
	}
	heads, err = s.OfKind(ctx, kind, view, limit)
	return heads, size, err
}

// ofKind returns a condition and its arguments. The condition selects the same tools from the live
// table (alias l) as registry.Finder.OfKind.
func ofKind(kind registry.ToolKind, view []registry.Layer, limit int) (where string, args []any) {
	ids := "SELECT DISTINCT id FROM live WHERE kind = 'tool' AND tool_kind = $1 AND status = 'active'"
	args = []any{kind}
	if view != nil {
		ids += " AND layer IN (" + engine.Placeholders(2, len(view)) + ")"
		args = append(args, engine.Args(view)...)
	}
	ids += " ORDER BY id"
	if limit > 0 {
		ids += fmt.Sprintf(" LIMIT $%d", len(args)+1)
		args = append(args, limit+len(shipped.CoreHashes())) // core tools can be among the first ids
	}
	return "l.kind = 'tool' AND l.id IN (SELECT id FROM core UNION SELECT id FROM (" + ids + ") first)", args
}

// Lists implements review.RegistryReader.
func (s Registry) Lists(ctx context.Context) ([]registry.Live, error) {
	return s.profiles(ctx, registry.KindList)
}

// ByLabel implements review.RegistryReader.
func (s Registry) ByLabel(ctx context.Context, label string) ([]registry.Live, error) {
	return s.Find(ctx, LiveFrom+"WHERE l.kind = 'tool' AND l.name = $1 ORDER BY l.subject", label)
}

// ByTag implements review.RegistryReader.
func (s Registry) ByTag(ctx context.Context, prefix string) ([]registry.Live, error) {
	return s.Find(ctx, LiveFrom+"WHERE l.tag = $1 AND l.tag <> '' ORDER BY l.subject", prefix)
}

// Agents implements review.RegistryReader.
func (s Registry) Agents(ctx context.Context) ([]registry.Live, error) {
	return s.profiles(ctx, registry.KindAgent)
}

// Folders implements review.RegistryReader.
func (s Registry) Folders(ctx context.Context) ([]registry.Live, error) {
	return s.Find(ctx, LiveFrom+"WHERE l.kind IN ('skill', 'instructions') ORDER BY l.subject")
}

// liveProfiles caches the live agents and allow-lists during a transaction.
type liveProfiles struct {
	read  bool
	lives []registry.Live
}

// profiles returns the live agents or the live allow-lists. Most callers need both, so the first
// call in a transaction reads both. Both are cached until the transaction changes the registry.
func (s Registry) profiles(ctx context.Context, kind registry.Kind) ([]registry.Live, error) {
	profiles := session.PerTransaction[liveProfiles](s.Session)
	if !profiles.read {
		found, err := s.Find(ctx, LiveFrom+"WHERE l.kind IN ('agent', 'list') ORDER BY l.id, l.layer")
		if err != nil {
			return nil, err
		}
		*profiles = liveProfiles{true, found}
	}
	return slices.DeleteFunc(slices.Clone(profiles.lives), func(l registry.Live) bool { return l.Subject.Kind != kind }), nil
}

// SetLive implements review.RegistryWriter.
func (s Registry) SetLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	added := *session.PerTransaction[addedVersions](s.Session)
	for i, v := range versions {
		if definitions[i].Tool != nil && added[v.Hash] == 0 {
			return fmt.Errorf("version %d of %s is not among those just written", v.Number, v.Subject)
		}
	}
	var sketches []sketched
	var computing errgroup.Group
	computing.Go(func() (err error) {
		sketches, err = sketchAll(added, versions, definitions)
		return err
	})
	if err := cmp.Or(s.setLive(ctx, versions, definitions), computing.Wait()); err != nil {
		return err
	}
	return s.addSketches(ctx, sketches)
}

// liveColumns returns the columns of a live row that change with each version: the number of the
// version, its content hash, and ShownColumns.
func liveColumns(number *int, contentHash *string, c *registry.Columns) table.Columns {
	return append(table.Columns{table.Col("version", number), table.Col("content_hash", contentHash)}, ShownColumns(c)...)
}

// ShownColumns returns the columns of the live table that repeat fields of the definition for
// lists.
func ShownColumns(c *registry.Columns) table.Columns {
	return table.Columns{
		table.Col("name", &c.Name), table.Col("tool_kind", &c.ToolKind), table.Col("category", &c.Category), table.Col("tier", &c.Tier), table.Col("approval", &c.Approval),
		table.Col("tag", &c.Tag), table.Col("status", (*string)(&c.Status)), table.Col("origin", &c.Origin), table.Col("source", &c.Source),
	}
}

// shownText joins the values of ShownColumns in the same way as shownLive does in SQL.
func shownText(c registry.Columns) (string, error) {
	texts, err := ShownColumns(&c).Texts()
	return strings.Join(texts, shownBetween), err
}

// setLive makes the given versions live and stores the names of their definitions.
func (s Registry) setLive(ctx context.Context, versions []history.Version, definitions []registry.Definition) error {
	*session.PerTransaction[liveProfiles](s.Session) = liveProfiles{}
	var rows, names []table.Columns
	for i, v := range versions {
		if v.Number == 1 {
			rows = append(rows, append(newLive(v, definitions[i], false), table.Col("size", new(len(v.Definition)))))
			names = append(names, newNames(v.Subject, definitions[i])...)
		}
	}
	if err := s.insertLive(ctx, rows, names); err != nil {
		return err
	}
	for i, v := range versions {
		if v.Number > 1 {
			if err := s.moveLive(ctx, v, definitions[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// newLive returns the row of a first version for the live table. The row does not contain the
// column size, because newLive is also used by the migration that seeds the database, and a later
// migration adds this column.
func newLive(v history.Version, d registry.Definition, locked bool) table.Columns {
	shown := d.Columns()
	return slices.Concat(table.Columns{table.Col("subject", table.Subject(&v.Subject))}, PartsOf(&v.Subject), table.Columns{table.Col("locked", &locked)}, liveColumns(&v.Number, &v.ContentHash, &shown))
}

// newNames returns the rows of the table names for a definition.
func newNames(subject registry.Subject, d registry.Definition) []table.Columns {
	return lists.Map(ToolNames(d), func(name string) table.Columns {
		return table.Columns{table.Col("name", &name), table.Col("subject", table.Subject(&subject))}
	})
}

// insertLive inserts rows into the live table and names into the table names.
func (s Registry) insertLive(ctx context.Context, rows, names []table.Columns) error {
	if err := table.InsertAll(ctx, s, "live", rows); err != nil {
		return err
	}
	if err := table.InsertAll(ctx, s, "names", names); err != nil {
		return fmt.Errorf("names: %w", err)
	}
	return nil
}

// moveLive replaces the previous version of a subject in the live table by v. It changes only the
// names that differ.
func (s Registry) moveLive(ctx context.Context, v history.Version, d registry.Definition) error {
	subject := v.Subject.String()
	shown := d.Columns()
	row := append(liveColumns(&v.Number, &v.ContentHash, &shown), table.Col("size", new(len(v.Definition))))
	n, err := table.Update(ctx, s, "live", row, "subject = ? AND version = ?", subject, v.Number-1)
	if err := table.ChangedOne(n, err, subject); err != nil {
		return err
	}
	old, err := table.All(ctx, s, table.ScanValue[string], "SELECT name FROM names WHERE subject = $1", subject)
	if err != nil {
		return err
	}
	names := ToolNames(d)
	for _, name := range old {
		if slices.Contains(names, name) {
			continue
		}
		if _, err := s.Exec(ctx, "DELETE FROM names WHERE name = $1 AND subject = $2", name, subject); err != nil {
			return err
		}
	}
	for _, name := range names {
		if slices.Contains(old, name) {
			continue
		}
		if _, err := s.Exec(ctx, "INSERT INTO names (name, subject) VALUES ($1, $2)", name, subject); err != nil {
			return fmt.Errorf("name %s: %w", name, err)
		}
	}
	return nil
}

// ToolNames returns the id and aliases of a tool, and nil for other definitions.
func ToolNames(d registry.Definition) []string {
	if d.Tool == nil {
		return nil
	}
	return append([]string{d.Tool.ID}, d.Tool.Aliases...)
}
