// Package history defines the records of decisions: versions of subjects and events
// of the audit log. They form hash chains, so that changing any of them is
// detected. The package verifies the chains, reads the catalog as of a time, and
// finds the version that introduced each line of a text.
package history
