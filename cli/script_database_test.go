package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"toolcrib/store"
	"toolcrib/store/storetest"
)

// newDatabase returns the name of a new database for a script: a copy of a file, or the URL of a database in which a
// superuser has created the schema.
func newDatabase(env *testscript.Env) string {
	if !storetest.OnPostgres() {
		name := filepath.Join(env.WorkDir, "test.db")
		image, err := newImage()
		if err == nil {
			err = os.WriteFile(name, image, 0o600)
		}
		if err != nil {
			env.T().Fatal(err)
		}
		return name
	}
	url, drop, err := storetest.NewURL(context.Background(), "")
	if err != nil {
		env.T().Fatal(err)
	}
	env.Defer(func() {
		if err := drop(); err != nil {
			env.T().Fatal(err)
		}
	})
	return url
}

// databaseNamed is like MkAbs, for the name of a database.
func databaseNamed(ts *testscript.TestScript, name string) string {
	if store.IsURL(name) {
		return name
	}
	return ts.MkAbs(name)
}

// cmdDatabase creates a database, which reading commands never do. A database on a server already exists.
func cmdDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: database FILE")
	}
	db, err := store.Open(context.Background(), databaseNamed(ts, args[0]), store.Options{Now: time.Now, NewID: newID})
	ts.Check(err)
	ts.Check(db.Close())
}

func cmdCopied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: copied NAME [DATABASE]")
	}
	from := ts.Getenv("TOOLCRIB_DB")
	if len(args) == 2 {
		from = args[1]
	}
	if store.IsURL(from) {
		url, drop, err := storetest.NewURL(context.Background(), from)
		ts.Check(err)
		ts.Defer(func() { ts.Check(drop()) })
		ts.Setenv(args[0], url)
		return
	}
	to, err := os.CreateTemp(ts.MkAbs("."), "*.db")
	ts.Check(err)
	data, err := os.ReadFile(databaseNamed(ts, from))
	ts.Check(err)
	_, err = to.Write(data)
	ts.Check(err)
	ts.Check(to.Close())
	ts.Setenv(args[0], to.Name())
}

func cmdSameDatabase(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same-database NAME NAME")
	}
	var dumps [2]string
	for i, name := range args {
		text, err := storetest.DumpOf(context.Background(), databaseNamed(ts, name))
		ts.Check(err)
		dumps[i] = text
	}
	if lines := storetest.Difference(dumps[0], dumps[1]); (len(lines) == 0) == neg {
		ts.Fatalf("%s and %s differ in %q", args[0], args[1], lines)
	}
}

// cmdFlip changes one bit of the first character of all occurrences of TEXT in a file, or in a database on a server, to
// simulate a failing disk or a manipulation.
func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip FILE TEXT")
	}
	old := []byte(args[1])
	flipped := bytes.Clone(old)
	flipped[0] ^= 1
	if store.IsURL(args[0]) {
		ts.Check(storetest.ReplaceText(context.Background(), args[0], args[1], string(flipped)))
		return
	}
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	if !bytes.Contains(data, old) {
		ts.Fatalf("%s does not hold %q", args[0], old)
	}
	ts.Check(os.WriteFile(name, bytes.ReplaceAll(data, old, flipped), 0o600))
}
