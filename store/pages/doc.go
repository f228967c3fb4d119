// Package pages reads a database file of SQLite without the engine: header,
// b-trees, records, overflow chains and the free list, as they are laid down in
// https://www.sqlite.org/fileformat2.html. It only reads, several goroutines at
// once, and every byte may be hostile: what does not hang together is an error
// that wraps ErrUnsound, never a panic, and no page is followed twice.
package pages
