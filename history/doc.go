// Package history keeps decisions: the versions of every subject and the events of
// the whole desk, each in a chain in which every entry seals the one before, so
// that a change to any of them shows. It recomputes the chains, reads the catalog
// as of a time, and finds the version that introduced each line of a text.
package history
