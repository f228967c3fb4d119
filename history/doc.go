// Package history keeps what was decided: the versions of every subject and
// the events of the whole desk, each in a chain in which every entry seals the
// one before, so that a change to any of them shows. It recomputes the chains,
// reads the catalog as it was at a time, and says which version brought in
// which line of a text.
package history
