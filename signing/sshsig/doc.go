// Package sshsig parses, creates, and verifies SSH signatures of statements.
//
// The format is OpenSSH's PROTOCOL.sshsig, which "ssh-keygen -Y sign" writes. The package
// accepts only a part of the format: one namespace, one hash algorithm, a few types of
// keys, and one encoding of each signature. It rejects bytes before and after the
// signature, which no key has signed. github.com/hiddeco/sshsig also parses the format.
// It is not used because it discards the reserved field and the text after the armor, so
// that callers cannot reject them.
package sshsig
