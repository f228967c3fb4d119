// Package signers determines who may sign decisions. It reads an OpenSSH
// allowed_signers file outside of the database and of all projects. To revoke a
// key, set valid-before or remove its line. docs/signing.md describes the rules.
//
// The package rejects everything that ssh-keygen could interpret differently on
// another machine or accept for several people: patterns of principals, times
// without a zone, and one key for two people.
package signers
