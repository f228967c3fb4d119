// This file determines the facts that warn even in a first import.

package reached

import (
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
)

// exfiltratesCredentials reports whether the file of f sends data and reads credentials. The
// credentials are the whole environment or, in a program, a credential store.
func exfiltratesCredentials(f fact.Fact) bool {
	return f.Sent && (f.Use == fact.Environment || f.Use == fact.Store && f.InProgram)
}

// sendsCredentials reports whether line sends credentials to the wrong recipient. It returns true
// if line sends all credentials or private data. It returns true if line sends a credential to a
// host of another owner, except in a header for authentication. It also returns true if line
// encodes a credential, because encoding evades filters. A user name and a password joined by a
// colon are an exception, because clients encode them for authentication (RFC 7617).
func sendsCredentials(f fact.Fact, line string, _ *facts) bool {
	switch {
	case exfiltratesCredentials(f), f.Use == fact.Private:
		return true
	case f.Use != fact.VariableSent || authenticationOption().MatchString(line):
		return false
	}
	if encodingCommand().MatchString(line) && !keyValuePair().MatchString(addresses().ReplaceAllString(line, "")) {
		return true
	}
	host := hostIn(line)
	owner, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(f.Value, "$_{")), "_")
	return (literal.Outside(host) || ownerOf(host) != "" && !slices.Contains(genericOwners, owner)) && !strings.Contains(host, owner)
}

// genericOwners contains words that do not identify the owner of a credential if the name of a
// variable begins with them.
var genericOwners = strings.Fields("api app auth access my secret token client user service admin db database key private jwt session bearer ssh refresh id")

var authenticationOption = lazyregexp.New(`(?i)authorization|bearer|[-_]key['"]?\s*[:=]|[-_]token['"]?\s*[:=]|auth\s*=|headers|\s-u\s|\s-H\s|--header|--user`)

var keyValuePair = lazyregexp.New(`[\w}]:[\w{$]|['"]:['"]`)

// addresses matches URLs, and hosts without a scheme.
var addresses = lazyregexp.New(`[a-z]+://[^\s"'<>)]*|[a-z0-9-]+(?:\.[a-z0-9-]+)+`)

// encodingCommand matches calls and commands that encode their input, such as base64.
var encodingCommand = lazyregexp.New(`\|\s*(?:base64|base32|xxd -p|openssl (?:base64|enc)|od -)(?:\s+-w\s?0)?\s*(?:$|[|)]|\\)|b(?:64|32|ase64)(?:_|\.)?encode\(|btoa\(|toString\(['"](?:base64|hex)|\.hex\(\)`)

// hostIn returns the host of the first address in line.
func hostIn(line string) string {
	_, address, _ := strings.Cut(strings.ToLower(line), "://")
	return address[:len(address)-len(strings.TrimLeft(address, "abcdefghijklmnopqrstuvwxyz0123456789.-"))]
}

// ownerOf returns the label of host that identifies its owner, which is the label before the public
// suffix or before an example domain (RFC 2606). It returns "" if the label is generic.
func ownerOf(host string) string {
	for _, example := range []string{".example.com", ".example.org", ".example.net"} {
		host = strings.TrimSuffix(host, example)
	}
	labels := strings.Split(host, ".")
	owner := labels[max(0, len(labels)-2)]
	if slices.Contains([]string{"", "example", "www", "api", "get", "install", "docs", "your", "co", "com"}, owner) {
		return ""
	}
	return owner
}

// publishers contains the download hosts of known software publishers.
var publishers = strings.Fields(`github.com raw.githubusercontent.com gitlab.com astral.sh sh.rustup.rs rustup.rs get.docker.com bun.sh bun.com deno.land get.pnpm.io fnm.vercel.app
	install.python-poetry.org deb.nodesource.com rpm.nodesource.com get.helm.sh k3s.io get.k3s.io ollama.com fly.io foundry.paradigm.xyz claude.ai cli.github.com dot.net pkgx.sh mise.run
	get.sdkman.io nixos.org install.determinate.systems pyenv.run bootstrap.pypa.io sdk.cloud.google.com cursor.com opencode.ai vite.plus tailscale.com`)

// fromUnknownHost reports whether the fact f downloads code from an unknown host, or connects a
// shell to the network. A host is known if it belongs to a known publisher, or if the subject
// mentions the owner of the host elsewhere.
func fromUnknownHost(f fact.Fact, line string, all *facts) bool {
	if f.Use == fact.Connected {
		return true
	}
	host := hostIn(f.Value)
	if host == "" {
		host = hostIn(line)
	}
	owner := ownerOf(host)
	return owner != "" && !slices.Contains(publishers, host) && !strings.Contains(all.loweredTexts(), owner)
}

// ownServer reports whether f adds a server to the configuration of a client, and the subject is
// named after the owner of this server.
func ownServer(f fact.Fact, all *facts) bool {
	owner := ownerOf(hostIn(f.Value))
	return f.Kind == fact.Write && owner != "" && strings.Contains(all.id, owner)
}

// disablesProtection reports whether line disables a protection that hardly any task needs to
// disable.
func disablesProtection(f fact.Fact, line string, _ *facts) bool {
	return disables(f.Value) || disables(line)
}

// disabling are words that disable the check of certificates or signatures, the confirmation by
// users, or the password of sudo.
var disabling = strings.Fields(`--dangerously- bypassPermissions NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY GIT_SSL_NO_VERIFY NOPASSWD setenforce --no-gpg-sign --no-verify`)

func disables(text string) bool {
	return slices.ContainsFunc(disabling, func(word string) bool { return strings.Contains(text, word) }) ||
		(strings.Contains(text, "777") || strings.Contains(text, "Strict") || strings.Contains(strings.ToLower(text), "sslv")) && protections().MatchString(text)
}

// protections matches settings that disable a check, and permissive file modes.
var protections = lazyregexp.New(`(?i:sslVerify)\W+false|StrictHostKeyChecking\W+no|\b0?777\b`)

// hidesTraces reports whether line deletes logs, a home folder, or a disk, or sends encoded data
// over the network, possibly as part of a host name.
func hidesTraces(f fact.Fact, line string, _ *facts) bool {
	if f.Kind == fact.File {
		return f.Use == fact.Wiped || logFile().MatchString(line)
	}
	return encodedUpload().MatchString(line) && encodingCommand().MatchString(line)
}

// evaluatesReadData reports whether line evaluates data that it reads, decodes, or downloads.
func evaluatesReadData(f fact.Fact, line string, _ *facts) bool {
	return f.Use != fact.Evaluated || evaluatesInput().MatchString(line)
}

var evaluatesInput = lazyregexp.New(`\b(?:eval|exec|compile|Function)\(.*(?:open\(['"]/(?:tmp|var/tmp|dev/shm)/|b64decode\(|fromhex\(|decompress\(|atob\(|urlopen\(|requests\.get\(|\.text\b)`)

var logFile = lazyregexp.New(`\b(?:rm|shred|truncate)\s[^|;&]*/var/log\b`)

var encodedUpload = lazyregexp.New(`\b(?:echo|printf|env|printenv)\b[^;&]*\|\s*(?:curl|wget|nc|ncat)\s|\b(?:dig|nslookup|host|drill|ping)\s[^;&|]*\$\(`)

// networkCommand matches the name of a network program at the beginning of a command. The arguments
// of these programs include a host.
var networkCommand = lazyregexp.New(`^(?:curl|wget|nc|ncat|dig|nslookup|host|drill|ping)\s`)
