// Package sshsig reads, writes and verifies SSH signatures of statements.
//
// The format is OpenSSH's PROTOCOL.sshsig, which "ssh-keygen -Y sign" writes. The
// package accepts only a part of it: one namespace, one hash algorithm, a few types
// of keys, and a single encoding of each signature without any unsigned bytes
// around it. github.com/hiddeco/sshsig also reads the format, but drops the
// reserved field and text after the armor before a caller could reject them.
package sshsig
