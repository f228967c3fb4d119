package audit

import "context"

// Ask runs a query of the engine and calls fn for every row.
type Ask func(ctx context.Context, query string, args []any, fn func(scanner) error) error

type scanner = interface{ Scan(dest ...any) error }

// Describe asks the engine for the tables of a database, in the order in which
// the schema has them.
func Describe(ctx context.Context, ask Ask) ([]Table, error) {
	var tables []Table
	place := map[string]int{}
	err := ask(ctx, `SELECT m.name, m.rootpage, m.sql, t.wr, t.strict FROM sqlite_schema m JOIN pragma_table_list t ON t.name = m.name AND t.schema = 'main'
		WHERE m.type = 'table' ORDER BY m.rowid`, nil, func(row scanner) error {
		var t Table
		err := row.Scan(&t.Name, &t.Root, &t.SQL, &t.WithoutRowid, &t.Strict)
		place[t.Name] = len(tables)
		tables = append(tables, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = ask(ctx, `SELECT m.name, c.name, c.type, c."notnull", c.pk, coalesce(c.dflt_value, ''), c.hidden <> 0 FROM sqlite_schema m, pragma_table_xinfo(m.name) c
		WHERE m.type = 'table' AND m.rootpage > 0 ORDER BY m.rowid, c.cid`, nil, func(row scanner) error {
		var table string
		var c Column
		err := row.Scan(&table, &c.Name, &c.Type, &c.NotNull, &c.Key, &c.Default, &c.Virtual)
		t := &tables[place[table]]
		t.Columns = append(t.Columns, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tables, indexes(ctx, ask, tables, place)
}

// indexes adds what indexes the tables have.
func indexes(ctx context.Context, ask Ask, tables []Table, place map[string]int) error {
	return ask(ctx, `SELECT m.tbl_name, m.name, m.rootpage, coalesce(m.sql, ''), l."unique", x.cid, x."desc", coalesce(x.coll, '') = 'BINARY', x.key
		FROM sqlite_schema m, pragma_index_list(m.tbl_name) l, pragma_index_xinfo(m.name) x
		WHERE m.type = 'index' AND l.name = m.name ORDER BY m.rowid, x.seqno`, nil, func(row scanner) error {
		var table string
		var i Index
		var c IndexColumn
		if err := row.Scan(&table, &i.Name, &i.Root, &i.SQL, &i.Unique, &c.Column, &c.Desc, &c.Binary, &c.Key); err != nil {
			return err
		}
		at, ok := place[table]
		if !ok {
			return unsound("the index %s belongs to no table", i.Name)
		}
		list := &tables[at].Indexes
		if n := len(*list); n == 0 || (*list)[n-1].Name != i.Name {
			*list = append(*list, i)
		}
		last := &(*list)[len(*list)-1]
		last.Columns = append(last.Columns, c)
		return nil
	})
}
