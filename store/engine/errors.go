package engine

import "errors"

// Errors of a database as a whole.
var (
	// ErrNewer is wrapped when a newer toolcrib wrote the database.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrNumbering is wrapped when the schema of a database has a number that this
	// program does not know, or that means other steps.
	ErrNumbering = errors.New("the database has an unknown schema")
	// ErrForeign is wrapped when the database is none of toolcrib's.
	ErrForeign = errors.New("not a toolcrib database")
	// ErrNoDatabase is wrapped when the database does not exist and must not be created.
	ErrNoDatabase = errors.New("no database")
	// ErrBusy is wrapped when another process held the database for too long.
	ErrBusy = errors.New("the database is busy")
	// ErrDamaged is wrapped when the database cannot be read.
	ErrDamaged = errors.New("the database is damaged")
	// ErrRefused is wrapped when a trigger or constraint refused a write.
	ErrRefused = errors.New("refused by the database")
	// ErrGone is wrapped when the file of an open database is not at its path any
	// more. Others read another file there.
	ErrGone = errors.New("the database was removed or replaced")
	// ErrAgain is wrapped when the engine rolled back a transaction because of another one, so that a retry may
	// succeed.
	ErrAgain = errors.New("another transaction came in between")
	// ErrLost is wrapped when the server cannot be reached or the connection was lost. A transaction that had not begun
	// its COMMIT was rolled back.
	ErrLost = errors.New("no connection to the database server; check that it runs, and try again")
)
