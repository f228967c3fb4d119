package cli

import (
	"context"
	"strings"

	"toolcrib/store"
	"toolcrib/store/pg"
)

// docServer is the connection of the login to a PostgreSQL server, and its rights.
type docServer struct {
	Version           string   `json:"version"`
	Login             string   `json:"login"`
	Roles             []string `json:"roles"`
	TLS               string   `json:"tls"` // "" for none
	Local             bool     `json:"local"`
	SynchronousCommit string   `json:"synchronous_commit"`
	RowSecurity       bool     `json:"row_security"`
	Trigrams          bool     `json:"trigrams"`
}

// examineServer adds the access to a server. A login without rights gets here too.
func (doc *docDoctor) examineServer(ctx context.Context, name string) error {
	if !store.IsURL(name) {
		return nil
	}
	a, err := pg.Examine(ctx, name)
	if err != nil {
		return err
	}
	doc.Server = &docServer{
		Version: a.Version, Login: a.Login, Roles: append([]string{}, a.Roles...), TLS: a.TLS, Local: a.Local,
		SynchronousCommit: a.SynchronousCommit, RowSecurity: a.RowSecurity, Trigrams: a.Trigrams,
	}
	doc.Problems = append(doc.Problems, a.Problems...)
	return nil
}

func (d docServer) write(p *page, doc docDoctor) {
	transport := d.TLS
	switch {
	case d.Local:
		transport = "a local socket"
	case transport == "":
		transport = "no encryption"
	}
	p.linef("database  %s, PostgreSQL %s, schema %d, %s", doc.Database, d.Version, doc.SchemaNow, transport)
	p.linef("login     %s in %s, synchronous_commit %s", d.Login, strings.Join(d.Roles, ", "), d.SynchronousCommit)
	if !d.Trigrams {
		p.linef("search    reads every row of the queue; the extension pg_trgm would give it an index")
	}
}
