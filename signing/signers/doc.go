// Package signers determines which keys may sign decisions. It reads an OpenSSH
// allowed_signers file, which is outside of the database and of all projects. A key is
// revoked by a valid-before option on its line, or by removing the line. docs/signers.md
// describes the rules.
//
// The package rejects files that ssh-keygen could interpret differently on another
// machine, or that let several people use one key: patterns of principals, times without
// a time zone, and the same key for two people.
package signers
