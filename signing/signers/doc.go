// Package signers reads who may sign decisions: an OpenSSH allowed_signers file
// outside of the database and of every project. A key is revoked by valid-before,
// or by removing its line. docs/signing.md has the rules.
//
// What ssh-keygen reads differently on another machine, or takes for more than
// one person, is refused: patterns of principals, times without a zone, and one
// key for two people.
package signers
