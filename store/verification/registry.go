// This file checks the columns, names, and sketches that are derived from definitions, and the stored contents of
// binary files.

package verification

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/overlap"
	"toolcrib/store/catalog"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// liveColumnsAgree reports subjects with columns for lists and lookups that differ from the definition of the live
// version. It also reports names that do not belong to a live definition, and missing names.
func (f *derivedFacts) liveColumnsAgree(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
	wanted := map[string]bool{}     // each name with its subject, such as "pace_scene of tool:user/scene_pacer"
	unreadable := map[string]bool{} // subjects whose names are unknown
	query := "SELECT l.subject, l.kind, l.layer, l.id, " + catalog.ShownColumns(new(registry.Columns)).Of("l") + ", l.size, v.definition " + catalog.LiveFrom
	err := s.Each(ctx, query, nil, func(row table.Scanner) error {
		var subject, kind, layer, id string
		var definition []byte
		var shown registry.Columns
		var size int
		err := row.Scan(&subject, &kind, &layer, &id, &shown.Name, &shown.ToolKind, &shown.Category, &shown.Tier, &shown.Approval, &shown.Tag, &shown.Status, &shown.Origin, &shown.Source, &size, &definition)
		if err != nil {
			return err
		}
		if !namesSubject(subject, kind, layer, id) {
			fn(history.Damage{Table: "live", Key: subject, Message: otherSubject})
		}
		of, _, _ := strings.Cut(subject, ":")
		derived := f.of(registry.Kind(of), definition, true)
		if derived.err != nil {
			unreadable[subject] = true
			return nil //nolint:nilerr // verification reports a version that cannot be read
		}
		if shown != derived.columns || size != len(definition) {
			fn(history.Damage{Table: "live", Key: subject, Message: "The columns for lists do not match its definition."})
		}
		for _, name := range derived.names {
			wanted[name+" of "+subject] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = texts(ctx, s, "SELECT name, subject FROM names", nil, func(fields []string) error {
		key := fields[0] + " of " + fields[1]
		if !wanted[key] && !unreadable[fields[1]] {
			fn(history.Damage{Table: "names", Key: key, Message: "The live definition does not have this name."})
		}
		delete(wanted, key)
		return nil
	})
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		fn(history.Damage{Table: "names", Key: key, Message: "The live definition has this name, but the index of names does not contain it."})
	}
	return err
}

// sketchInspections returns the inspections of near-duplicate sketches. The first inspection reports sketches
// without versions. Each other inspection checks that the tool versions of a block have sketches; if deep is true,
// it also computes the sketches again.
func (l Ledger) sketchInspections(ctx context.Context, deep bool) ([]inspection, error) {
	var last int64
	err := l.use(ctx, func(s *session.Session) error {
		return s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM versions", nil, &last)
	})
	if err != nil {
		return nil, err
	}
	list := []inspection{{"sketches", func(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
		keys, err := table.All(ctx, s, table.ScanValue[string], `SELECT 'sketches block ' || block FROM sketches WHERE block NOT BETWEEN 0 AND CAST($1 AS bigint) / CAST($2 AS bigint)
			UNION ALL SELECT 'recent_sketches row ' || seq FROM recent_sketches WHERE seq NOT BETWEEN 1 AND $1`, last, catalog.SketchBlock)
		for _, key := range keys {
			fn(history.Damage{Table: "sketches", Key: key, Message: "The versions that these sketches belong to are missing."})
		}
		return err
	}}}
	for block := range last/catalog.SketchBlock + 1 {
		list = append(list, inspection{"sketches", func(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
			return checkSketches(ctx, s, block, deep, fn)
		}})
	}
	return list, nil
}

// checkSketches reports a block if it lacks the sketch of a tool version or contains the sketch of another version.
// If deep is true, checkSketches also computes the sketches again and reports a block with a different sketch.
func checkSketches(ctx context.Context, s *session.Session, block int64, deep bool, fn func(history.Damage)) error {
	first, last := block*catalog.SketchBlock, (block+1)*catalog.SketchBlock-1
	var text, purpose []byte
	if _, err := s.OptionalRow(ctx, "SELECT text, purpose FROM sketches WHERE block = $1", []any{block}, &text, &purpose); err != nil {
		return err
	}
	// Add the single rows of a block that is not complete.
	recent, err := table.All(ctx, s, catalog.ScanSketched, "SELECT seq, text, purpose FROM recent_sketches WHERE seq BETWEEN $1 AND $2 ORDER BY seq", first, last)
	if err != nil {
		return err
	}
	for _, sk := range recent {
		text, purpose = append(text, sk.Text...), append(purpose, sk.Purpose...)
	}
	var same bool
	if deep {
		var wantText, wantPurpose overlap.Index
		err = s.Each(ctx, "SELECT seq, definition FROM versions WHERE kind = 'tool' AND seq BETWEEN $1 AND $2 ORDER BY seq", []any{first, last}, func(row table.Scanner) error {
			var seq int64
			var definition []byte
			if err := row.Scan(&seq, &definition); err != nil {
				return err
			}
			d, err := registry.DecodeDefinition(registry.KindTool, definition)
			if err != nil {
				return fmt.Errorf("version in row %d: %w", seq, err)
			}
			wantText.Add(seq, overlap.TextOf(*d.Tool).Sketch())
			wantPurpose.Add(seq, overlap.PurposeOf(*d.Tool).Sketch())
			return nil
		})
		same = equalSketches(text, &wantText) && equalSketches(purpose, &wantPurpose)
	} else {
		var ids []int64
		ids, err = table.All(ctx, s, table.ScanValue[int64], "SELECT seq FROM versions WHERE kind = 'tool' AND seq BETWEEN $1 AND $2 ORDER BY seq", first, last)
		same = sketchesOf(text, ids) && sketchesOf(purpose, ids)
	}
	if err != nil {
		return err
	}
	if !same {
		fn(history.Damage{
			Table: "sketches", Key: fmt.Sprintf("sketches block %d", block),
			Message: fmt.Sprintf("The near-duplicate sketches of the versions in rows %d to %d do not match their definitions.", max(first, 1), last),
		})
	}
	return nil
}

// sketchesOf reports whether stored contains the sketches of exactly the versions with the given ids.
func sketchesOf(stored []byte, ids []int64) bool {
	var have overlap.Index
	return have.Load(stored) == nil && slices.Equal(have.IDs(), ids)
}

// equalSketches reports whether stored contains the same sketches as index. It ignores how stored is divided into
// blocks.
func equalSketches(stored []byte, index *overlap.Index) bool {
	var have overlap.Index
	if have.Load(stored) != nil {
		return false
	}
	a, err := have.AppendBinary(nil)
	b, err2 := index.AppendBinary(nil)
	return err == nil && err2 == nil && bytes.Equal(a, b)
}

// contentsAgree reports stored bytes that do not match their hash. It also reports versions of skills if the bytes of
// an approved file are not stored. Files without a type are not checked, because their versions are older than the
// table.
func contentsAgree(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
	stored := map[string]bool{}
	err := s.Each(ctx, "SELECT sha256, bytes FROM contents ORDER BY sha256", nil, func(row table.Scanner) error {
		var hash string
		var data []byte
		if err := row.Scan(&hash, &data); err != nil {
			return err
		}
		stored[hash] = true
		if registry.HashBytes(data) != hash {
			fn(history.Damage{Table: "contents", Key: hash, Message: "Its bytes do not match its hash."})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Each(ctx, "SELECT subject, number, definition FROM versions WHERE kind = 'skill' ORDER BY seq", nil, func(row table.Scanner) error {
		var subject, definition string
		var number int
		if err := row.Scan(&subject, &number, &definition); err != nil {
			return err
		}
		d, err := registry.DecodeDefinition(registry.KindSkill, []byte(definition))
		if err != nil {
			return nil //nolint:nilerr // the check of versions reports this definition
		}
		for _, name := range d.Skill.Paths() {
			if f := d.Skill.Files[name]; f.Type != "" && !stored[f.SHA256] {
				fn(history.Damage{Table: "contents", Key: f.SHA256, Message: fmt.Sprintf("The bytes that version %d of %s refers to are missing.", number, subject)})
			}
		}
		return nil
	})
}

// derivedFacts caches the values that lists and searches derive from live definitions, while a ledger is read. A live
// definition is stored twice, in its version and in the draft of its proposal. The cache decodes the definition when
// the first copy is read, and forgets it after the second.
type derivedFacts struct {
	mu     sync.Mutex
	byText map[definitionKey]fact
}

// definitionKey identifies a definition.
type definitionKey struct {
	kind registry.Kind
	text [sha256.Size]byte
}

// fact contains the values that are derived from a definition.
type fact struct {
	name     string
	columns  registry.Columns
	names    []string // id and aliases of a tool
	textHash string   // "" for definitions other than tools
	err      error    // set if the definition cannot be decoded
}

// of returns the fact for a definition. If live is true, the definition is live and therefore stored twice. The fact is
// then cached when the first copy is read, and removed from the cache when the second copy is read.
func (f *derivedFacts) of(kind registry.Kind, text []byte, live bool) fact {
	if !live {
		return factOf(kind, text)
	}
	key := definitionKey{kind, sha256.Sum256(text)}
	f.mu.Lock()
	known, ok := f.byText[key]
	delete(f.byText, key)
	f.mu.Unlock()
	if ok {
		return known
	}
	made := factOf(kind, text)
	f.mu.Lock()
	f.byText[key] = made
	f.mu.Unlock()
	return made
}

func factOf(kind registry.Kind, text []byte) fact {
	d, err := registry.DecodeDefinition(kind, text)
	made := fact{name: d.Name(), columns: d.Columns(), names: catalog.ToolNames(d), err: err}
	if d.Tool != nil {
		made.textHash = d.Tool.TextHash()
	}
	return made
}

// outlineOf decodes a stored draft and returns it with the fact for its definition. The returned draft contains only
// the fields that columns repeat.
func (f *derivedFacts) outlineOf(draft []byte, live bool) (proposals.Draft, fact, error) {
	var d proposals.Draft
	var definition []byte
	err := jsondoc.Members(draft, func(name string, value []byte, _ int) error {
		switch name {
		case "type":
			return json.Unmarshal(value, &d.Type)
		case "subject":
			return json.Unmarshal(value, &d.Subject)
		case "changeSet":
			return json.Unmarshal(value, &d.ChangeSet)
		case "baseVersion":
			return json.Unmarshal(value, &d.BaseVersion)
		case "definition":
			definition = bytes.Clone(value)
		}
		return nil
	})
	if err != nil || definition == nil {
		return d, fact{}, err
	}
	return d, f.of(d.Subject.Kind, definition, live), nil
}
