// Package history defines the records of decisions: versions of subjects, and events of
// the audit log. The records form hash chains, which reveal changed records. The package
// verifies the chains, reads the catalog as of a given time, and finds the version that
// introduced each line of a text.
package history
