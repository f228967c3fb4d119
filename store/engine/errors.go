package engine

import "errors"

// Errors that concern the database as a whole.
var (
	// ErrNewer means that a newer version of toolcrib wrote the database.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrNumbering means that the schema has a number that this program does not know, or that
	// stands for other migrations.
	ErrNumbering = errors.New("the database has an unknown schema")
	// ErrForeign means that the database does not belong to toolcrib.
	ErrForeign = errors.New("not a toolcrib database")
	// ErrNoDatabase means that the database does not exist and must not be created.
	ErrNoDatabase = errors.New("no database")
	// ErrBusy means that another process locked the database for too long.
	ErrBusy = errors.New("the database is busy")
	// ErrDamaged means that the database cannot be read.
	ErrDamaged = errors.New("the database is damaged")
	// ErrRefused means that a trigger or constraint rejected a write.
	ErrRefused = errors.New("refused by the database")
	// ErrGone means that the file of an open database was removed or replaced, so other processes
	// use a different file.
	ErrGone = errors.New("the database was removed or replaced")
	// ErrAgain means that the engine rolled back a transaction because of a concurrent one. A retry
	// may succeed.
	ErrAgain = errors.New("another transaction came in between")
	// ErrLost means that the server is unreachable or the connection was lost. A transaction that
	// had not started its COMMIT was rolled back.
	ErrLost = errors.New("no connection to the database server; check that it runs, and try again")
)
