// This file recognizes files that store credentials and files that other programs obey.

package literal

import (
	_ "embed"
	"path"
	"slices"
	"strings"
)

// Place describes how other programs use a file.
type Place uint8

// The places.
const (
	Nowhere     Place = iota
	Credentials       // a store of keys or passwords
	Obeyed            // instructions, hooks, or settings that an agent, a shell, or a scheduler obeys
)

//go:embed places.tsv
var places string

// entry is a path in places.tsv. The elements of the path may be patterns of path.Match. A rooted
// path matches only at the beginning of an absolute path.
type entry struct {
	place    Place
	rooted   bool
	elements []string
}

// templateSuffixes are the endings of file names that mark a template without credentials.
var templateSuffixes = []string{"example", "sample", "template", "dist", "tpl", "test", "md", "ts", "js", "schema"}

// keyFiles are the extensions of files that contain private keys: RFC 7468, RFC 7292, and
// https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html.
var keyFiles = map[string]bool{".pem": true, ".p12": true, ".pfx": true, ".jks": true, ".keystore": true, ".kdbx": true}

// PlaceOf returns the place of the file with the given path. If both Credentials and Obeyed apply,
// PlaceOf returns Obeyed.
func PlaceOf(name string) Place {
	t := tables()
	elements := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	found := Nowhere
	for i, element := range elements {
		if strings.HasPrefix(element, ".env") && dotenv(element) || i == len(elements)-1 && namedEnv(element) {
			found = max(found, Credentials)
		}
		if i == len(elements)-1 && keyFiles[path.Ext(element)] && element[0] != '*' && element[0] != '.' && !publicKeysOnly(element) {
			found = max(found, Credentials)
		}
		for _, e := range t.first[element] {
			if e.matches(elements[i:], i == 1 && elements[0] == "") && (e.place != Credentials || !publicKey(name)) {
				found = max(found, e.place)
			}
		}
		if strings.HasSuffix(element, ".md") {
			for _, e := range t.wild {
				if e.matches(elements[i:], false) && element[0] != '*' {
					found = max(found, e.place)
				}
			}
		}
	}
	return found
}

// SampleOf reports whether sample is the name of a template for the file with the given name, such
// as .env.example for .env. A command that copies the template to this file reads no credentials.
func SampleOf(sample, name string) bool {
	rest, ok := strings.CutPrefix(path.Base(sample), path.Base(name)+".")
	return ok && slices.Contains(templateSuffixes, rest)
}

// publicKey reports whether name is the name of a public key of ssh-keygen(1), such as id_rsa.pub.
func publicKey(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.HasPrefix(base, "id_") && strings.HasSuffix(base, ".pub") && !strings.ContainsAny(base, "*?[{$")
}

// publicKeysOnly reports whether the name of a key file indicates that the file contains only
// public keys. Apart from trust stores, only the name of a PEM file can indicate this: a PKCS #12
// file that is named after a certificate usually contains the private key, too.
func publicKeysOnly(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "keychain", "")
	return strings.Contains(name, "trust") || path.Ext(name) == ".pem" &&
		(strings.Contains(name, "cert") || strings.Contains(name, "pub") || strings.HasPrefix(name, "ca.") || strings.HasPrefix(name, "ca-") || strings.Contains(name, "chain"))
}

// matches reports whether elements begin with the elements of e. root reports whether elements
// begin at the root of a file system.
func (e entry) matches(elements []string, root bool) bool {
	if e.rooted && !root || len(elements) < len(e.elements) {
		return false
	}
	for i, pattern := range e.elements {
		if ok, err := path.Match(pattern, elements[i]); err != nil || !ok || elements[i] == "" {
			return false
		}
	}
	return true
}

// dotenv reports whether name, which begins with ".env", is a file of environment variables
// (https://github.com/motdotla/dotenv). It returns false for a template.
func dotenv(name string) bool {
	rest := name[len(".env"):]
	if rest == "" || rest == "rc" {
		return true
	}
	if rest[0] != '.' || len(rest) == 1 {
		return false
	}
	return !hasTemplateSuffix(rest)
}

func hasTemplateSuffix(name string) bool {
	return slices.ContainsFunc(templateSuffixes, func(s string) bool { return strings.HasSuffix(name, s) })
}

// namedEnv reports whether name is a file of environment variables such as prod.env, as used by
// docker-run(1). It returns false for a template, and for a member of an object in a program, such
// as process.env.
func namedEnv(name string) bool {
	stem, ok := strings.CutSuffix(name, ".env")
	return ok && len(stem) > 2 && strings.Trim(stem, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && !slices.Contains(objectsWithEnv, stem) && !hasTemplateSuffix(stem)
}

// objectsWithEnv are the objects in programs that have a member named env:
// https://nodejs.org/api/process.html#processenv.
var objectsWithEnv = strings.Fields("process meta ctx context this self workspace platform globalthis runtime default defaults job step matrix vars")
