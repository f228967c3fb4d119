// This file stores the assistant's entities, such as people and places, and their links to
// memories.

package assistant

import (
	"context"
	"errors"
	"slices"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/store/engine"
	"toolcrib/store/table"
)

// EntityTable describes the table of entities.
var EntityTable = table.Of("entities", entityColumns)

func entityColumns(e *builtin.Entity) table.Columns {
	return table.Columns{table.Col("id", &e.ID), table.Col("name", &e.Name), table.Col("type", &e.Type), table.Col("aliases", table.List(&e.Aliases))}
}

func countedEntity(e *builtin.Entity) table.Columns {
	return append(entityColumns(e), table.Col("memories", &e.Memories))
}

// selectEntities is the start of a query that selects the columns of countedEntity with the
// alias e.
var selectEntities = "SELECT " + countedEntity(new(builtin.Entity)).Of("e")

// EntitiesByID implements builtin.Reader.
func (a *tables) EntitiesByID(ctx context.Context, ids []string) ([]builtin.Entity, error) {
	return byIDs(ctx, a, table.Reading(countedEntity), selectEntities+" FROM entities e WHERE e.owner = $1 AND e.id = $2 AND e.deleted_at = ''", ids)
}

// EntitiesByName implements builtin.Reader.
func (a *tables) EntitiesByName(ctx context.Context, key string) ([]builtin.Entity, error) {
	return table.All(ctx, a.session, table.Reading(countedEntity), selectEntities+" FROM entities e WHERE e.owner = $1 AND e.name_key = $2 AND e.deleted_at = '' ORDER BY e.type", a.owner, key)
}

// Entities implements builtin.Reader.
func (a *tables) Entities(ctx context.Context, f builtin.EntityFilter, limit int) ([]builtin.Entity, error) {
	if f.Project == "" && f.Type == "" {
		return table.All(ctx, a.session, table.Reading(countedEntity), selectEntities+" FROM entities e"+a.session.Hints.IndexedBy("entities_by_count")+" WHERE e.owner = $1 AND e.deleted_at = '' ORDER BY e.memories DESC, e.name_key, e.seq LIMIT $2", a.owner, limit)
	}
	if f.Project == "" {
		return table.All(ctx, a.session, table.Reading(countedEntity), selectEntities+" FROM entities e"+a.session.Hints.IndexedBy("entities_by_type")+" WHERE e.owner = $1 AND e.deleted_at = '' AND e.type = $2 ORDER BY e.memories DESC, e.name_key, e.seq LIMIT $3", a.owner, f.Type, limit)
	}
	project, err := a.project(ctx, f.Project)
	if err != nil {
		return nil, err
	}
	return table.All(ctx, a.session, table.Reading(countedEntity), selectEntities+" FROM entity_projects x"+a.session.Hints.IndexedBy("entity_projects_by_count")+` CROSS JOIN entities e
		WHERE e.seq = x.entity AND x.project = $1 AND e.owner = $2 AND e.deleted_at = '' AND ($3 = '' OR e.type = $3) ORDER BY x.n DESC, x.entity LIMIT $4`, project, a.owner, f.Type, limit)
}

// MatchEntities implements builtin.Reader.
func (a *tables) MatchEntities(ctx context.Context, term, kind string, limit int) ([]int64, error) {
	terms := []string{a.term("", term)}
	if kind != "" {
		terms = append(terms, a.term(kindMark, kind))
	}
	has := a.session.Engine.HasTerms("entities_text", terms)
	return a.keys(ctx, engine.Numbered("SELECT rowid AS key FROM entities_text WHERE "+has.SQL+" ORDER BY rowid DESC LIMIT ?"), append(has.Args, limit)...)
}

// EntitiesByKey implements builtin.Reader.
func (a *tables) EntitiesByKey(ctx context.Context, keys []int64) (map[int64]builtin.Entity, error) {
	return byKeys(ctx, a, table.Reading(countedEntity), selectEntities+" FROM entities e WHERE e.owner = $1 AND e.seq = $2 AND e.deleted_at = ''", keys)
}

// AddEntity implements builtin.Writer.
func (a *tables) AddEntity(ctx context.Context, e builtin.Entity, key string, terms []string) error {
	if err := table.Add(ctx, a.session, EntityTable.Name, "seq", append(a.owns(entityColumns(&e)), table.Col("name_key", &key))); err != nil {
		return err
	}
	return a.indexEntity(ctx, e, terms)
}

func (a *tables) indexEntity(ctx context.Context, e builtin.Entity, terms []string) error {
	_, err := a.session.Exec(ctx, "INSERT INTO entities_text (rowid, terms) VALUES ((SELECT seq FROM entities WHERE owner = $1 AND id = $2), $3)",
		a.owner, e.ID, a.join(terms, []string{a.term(kindMark, e.Type)}))
	return err
}

// ChangeEntity implements builtin.Writer.
func (a *tables) ChangeEntity(ctx context.Context, e builtin.Entity, terms []string) error {
	err := a.change(ctx, EntityTable.Name, "entity", e.ID, table.Columns{table.Col("type", &e.Type), table.Col("aliases", table.List(&e.Aliases))})
	if err != nil {
		return err
	}
	_, err = a.session.Exec(ctx, "DELETE FROM entities_text WHERE rowid = (SELECT seq FROM entities WHERE owner = $1 AND id = $2)", a.owner, e.ID)
	return errors.Join(err, a.indexEntity(ctx, e, terms))
}

// linkedEntities is a subquery. It selects the key of each entity to which the memory $1 is
// linked.
const linkedEntities = `(SELECT DISTINCT e.seq FROM memory_links l JOIN entities e ON e.id = l.target WHERE l.memory = $1 AND l.deleted_at = '' AND l.to_entity = 1)`

// countInProject updates the number of memories that each entity has in the project of the
// given memory. For each entity to which the memory is linked, it adds delta, which is 1 or
// -1.
func (a *tables) countInProject(ctx context.Context, memory string, delta int) error {
	_, err := a.session.Exec(ctx, `INSERT INTO entity_projects (project, entity, n)
		SELECT m.project, e.seq, CAST($3 AS bigint) FROM memories m JOIN entities e ON e.seq IN `+linkedEntities+`
		WHERE m.id = $1 AND m.owner = $2 AND m.project IS NOT NULL
		ON CONFLICT (project, entity) DO UPDATE SET n = entity_projects.n + $4`, memory, a.owner, max(delta, 0), delta)
	if err != nil || delta > 0 {
		return err
	}
	_, err = a.session.Exec(ctx, "DELETE FROM entity_projects WHERE n = 0 AND project = (SELECT project FROM memories WHERE id = $1) AND entity IN "+linkedEntities, memory)
	return err
}

// AddLink implements builtin.Writer.
func (a *tables) AddLink(ctx context.Context, l builtin.Link) (bool, error) {
	var there, related bool
	err := a.session.Row(ctx, `SELECT EXISTS (SELECT 1 FROM memory_links WHERE memory = $1 AND target = $2 AND relation = $3 AND deleted_at = ''),
		EXISTS (SELECT 1 FROM memory_links WHERE memory = $1 AND target = $2 AND deleted_at = '')`, []any{l.Memory, l.Target, l.Relation}, &there, &related)
	if err != nil || there {
		return false, err
	}
	counted := l.ToEntity && !related
	if counted { // the second call adds all entities again, including the new one
		if err := a.countInProject(ctx, l.Memory, -1); err != nil {
			return false, err
		}
	}
	_, err = a.session.Exec(ctx, "INSERT INTO memory_links (seq, owner, memory, target, to_entity, relation, created_at) VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM memory_links), $1, $2, $3, $4, $5, $6)",
		a.owner, l.Memory, l.Target, table.Flag(l.ToEntity), l.Relation, history.Timestamp(l.At))
	if err != nil || !counted {
		return err == nil, err
	}
	if _, err := a.session.Exec(ctx, "UPDATE entities SET memories = memories + 1 WHERE owner = $1 AND id = $2 AND deleted_at = ''", a.owner, l.Target); err != nil {
		return false, err
	}
	return true, a.countInProject(ctx, l.Memory, 1)
}

// unlink deletes all links from and to the given memory. It also deletes each linked entity to
// which no other memory is linked.
func (a *tables) unlink(ctx context.Context, memory string) error {
	keys, err := a.keys(ctx, "SELECT seq AS key FROM "+linkedEntities+" linked", memory)
	if err != nil {
		return err
	}
	slices.Sort(keys)
	for _, key := range keys {
		_, err := a.session.Exec(ctx, "UPDATE entities SET memories = memories - 1, deleted_at = CASE memories WHEN 1 THEN $1 ELSE '' END WHERE seq = $2 AND deleted_at = ''", a.now, key)
		if err != nil {
			return err
		}
		_, err = a.session.Exec(ctx, "DELETE FROM entities_text WHERE rowid = $1 AND (SELECT deleted_at FROM entities WHERE seq = $2) <> ''", key, key)
		if err != nil {
			return err
		}
	}
	_, from := a.session.Exec(ctx, "UPDATE memory_links SET deleted_at = $1 WHERE memory = $2 AND deleted_at = ''", a.now, memory)
	_, to := a.session.Exec(ctx, "UPDATE memory_links SET deleted_at = $1 WHERE target = $2 AND deleted_at = ''", a.now, memory)
	return errors.Join(from, to)
}

// Neighbours implements builtin.Reader.
func (a *tables) Neighbours(ctx context.Context, memory string, limit int) ([]string, error) {
	from, err := table.All(ctx, a.session, table.ScanValue[string], "SELECT target FROM memory_links"+a.session.Hints.IndexedBy("memory_links_once")+" WHERE memory = $1 AND deleted_at = '' AND owner = $2 AND to_entity = 0 ORDER BY target, relation LIMIT $3", memory, a.owner, limit)
	if err != nil {
		return nil, err
	}
	to, err := table.All(ctx, a.session, table.ScanValue[string], "SELECT memory FROM memory_links"+a.session.Hints.IndexedBy("memory_links_to")+" WHERE target = $1 AND deleted_at = '' AND owner = $2 ORDER BY seq DESC LIMIT $3", memory, a.owner, limit)
	return append(from, to...), err
}

// MemoriesOf implements builtin.Reader.
func (a *tables) MemoriesOf(ctx context.Context, entity string, limit int) ([]builtin.Memory, error) {
	// A memory has at most six links to one entity: one for each relation.
	ids, err := table.All(ctx, a.session, table.ScanValue[string], "SELECT memory FROM memory_links WHERE owner = $1 AND target = $2 AND deleted_at = '' ORDER BY seq DESC LIMIT $3", a.owner, entity, 6*limit)
	if err != nil {
		return nil, err
	}
	var once []string
	for _, id := range ids {
		if len(once) < limit && !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return a.MemoriesByID(ctx, once)
}

// CountLinks implements builtin.Reader.
func (a *tables) CountLinks(ctx context.Context, memory string) (int, error) {
	var n int
	err := a.session.Row(ctx, "SELECT count(*) FROM memory_links WHERE owner = $1 AND memory = $2 AND deleted_at = ''", []any{a.owner, memory}, &n)
	return n, err
}
