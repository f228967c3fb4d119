package store

import (
	"context"
	"errors"

	"toolcrib/gateway/builtin"
)

const entityColumns = "e.id, e.name, e.type, e.aliases, e.memories"

func scanEntity(row scanner) (e builtin.Entity, err error) {
	var aliases string
	if err := row.Scan(&e.ID, &e.Name, &e.Type, &aliases, &e.Memories); err != nil {
		return e, err
	}
	return e, into(&e.Aliases, parseList, aliases)
}

// EntitiesByID implements builtin.Reader.
func (a assistant) EntitiesByID(ctx context.Context, ids []string) ([]builtin.Entity, error) {
	return byIDs(ctx, a.s, scanEntity, "SELECT "+entityColumns+" FROM entities e WHERE e.owner = $1 AND e.id = $2 AND e.deleted_at = ''", a.owner, ids)
}

// EntitiesByName implements builtin.Reader.
func (a assistant) EntitiesByName(ctx context.Context, key string) ([]builtin.Entity, error) {
	return all(ctx, a.s, scanEntity, "SELECT "+entityColumns+" FROM entities e WHERE e.owner = $1 AND e.name_key = $2 AND e.deleted_at = '' ORDER BY e.type", a.owner, key)
}

// Entities implements builtin.Reader.
func (a assistant) Entities(ctx context.Context, f builtin.EntityFilter, limit int) ([]builtin.Entity, error) {
	if f.Project == "" && f.Type == "" {
		return all(ctx, a.s, scanEntity, "SELECT "+entityColumns+" FROM entities e"+a.s.hints.indexedBy("entities_by_count")+" WHERE e.owner = $1 AND e.deleted_at = '' ORDER BY e.memories DESC, e.name_key, e.seq LIMIT $2", a.owner, limit)
	}
	if f.Project == "" {
		return all(ctx, a.s, scanEntity, "SELECT "+entityColumns+" FROM entities e"+a.s.hints.indexedBy("entities_by_type")+" WHERE e.owner = $1 AND e.deleted_at = '' AND e.type = $2 ORDER BY e.memories DESC, e.name_key, e.seq LIMIT $3", a.owner, f.Type, limit)
	}
	project, err := a.project(ctx, f.Project)
	if err != nil {
		return nil, err
	}
	return all(ctx, a.s, scanEntity, "SELECT "+entityColumns+" FROM entity_projects x"+a.s.hints.indexedBy("entity_projects_by_count")+` CROSS JOIN entities e
		WHERE e.seq = x.entity AND x.project = $1 AND e.owner = $2 AND e.deleted_at = '' AND ($3 = '' OR e.type = $3) ORDER BY x.n DESC, x.entity LIMIT $4`, project, a.owner, f.Type, limit)
}

// MatchEntities implements builtin.Reader.
func (a assistant) MatchEntities(ctx context.Context, term, kind string, limit int) ([]int64, error) {
	terms := []string{a.term("", term)}
	if kind != "" {
		terms = append(terms, a.term(kindMark, kind))
	}
	has := a.s.engine.HasTerms("entities_text", terms)
	return a.keys(ctx, numbered("SELECT rowid AS key FROM entities_text WHERE "+has.SQL+" ORDER BY rowid DESC LIMIT ?"), append(has.Args, limit)...)
}

// EntitiesByKey implements builtin.Reader.
func (a assistant) EntitiesByKey(ctx context.Context, keys []int64) (map[int64]builtin.Entity, error) {
	return byKeys(ctx, a, scanEntity, "SELECT "+entityColumns+" FROM entities e WHERE e.owner = $1 AND e.seq = $2 AND e.deleted_at = ''", keys)
}

// AddEntity implements builtin.Writer.
func (a assistant) AddEntity(ctx context.Context, e builtin.Entity, key string, terms []string) error {
	aliases, err := list(e.Aliases)
	if err != nil {
		return err
	}
	_, err = a.s.Exec(ctx, "INSERT INTO entities (seq, id, owner, name, name_key, type, aliases) VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM entities), $1, $2, $3, $4, $5, $6)", e.ID, a.owner, e.Name, key, e.Type, aliases)
	if err != nil {
		return err
	}
	return a.indexEntity(ctx, e, terms)
}

func (a assistant) indexEntity(ctx context.Context, e builtin.Entity, terms []string) error {
	_, err := a.s.Exec(ctx, "INSERT INTO entities_text (rowid, terms) VALUES ((SELECT seq FROM entities WHERE owner = $1 AND id = $2), $3)",
		a.owner, e.ID, a.join(terms, []string{a.term(kindMark, e.Type)}))
	return err
}

// ChangeEntity implements builtin.Writer.
func (a assistant) ChangeEntity(ctx context.Context, e builtin.Entity, terms []string) error {
	aliases, err := list(e.Aliases)
	if err != nil {
		return err
	}
	n, err := a.s.Exec(ctx, "UPDATE entities SET type = $1, aliases = $2 WHERE owner = $3 AND id = $4 AND deleted_at = ''", e.Type, aliases, a.owner, e.ID)
	if err := changedOne(n, err, "entity "+e.ID); err != nil {
		return err
	}
	_, err = a.s.Exec(ctx, "DELETE FROM entities_text WHERE rowid = (SELECT seq FROM entities WHERE owner = $1 AND id = $2)", a.owner, e.ID)
	return errors.Join(err, a.indexEntity(ctx, e, terms))
}
