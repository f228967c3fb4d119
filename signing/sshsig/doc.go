// Package sshsig reads, writes and checks SSH signatures of statements.
//
// The format is OpenSSH's PROTOCOL.sshsig: what "ssh-keygen -Y sign" writes. Of
// what it allows, one namespace, one hash and few kinds of keys are accepted; a
// signature has one form, and nothing stands before, in or after it that is not
// signed. github.com/hiddeco/sshsig reads the format too, but drops the reserved
// field and what follows the armor before its caller can refuse them.
package sshsig
