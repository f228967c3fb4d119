// This file recognizes files that store credentials and files that other programs follow.

package literal

import (
	_ "embed"
	"path"
	"slices"
	"strings"
)

// Place is the purpose of a file for other programs.
type Place uint8

// The places.
const (
	Nowhere     Place = iota
	Credentials       // a store of keys or passwords
	Obeyed            // a file that an agent, a shell or a scheduler follows
)

//go:embed places.tsv
var places string

// entry is a path in places.tsv, split into its elements.
type entry struct {
	place    Place
	rooted   bool
	elements []string
}

// templateSuffixes are endings of names that mark a template without credentials.
var templateSuffixes = []string{"example", "sample", "template", "dist", "tpl", "test", "md", "ts", "js", "schema"}

// keyFiles are the extensions of files with private keys: RFC 7468, RFC 7292, and
// https://docs.oracle.com/en/java/javase/21/docs/specs/man/keytool.html.
var keyFiles = map[string]bool{".pem": true, ".p12": true, ".pfx": true, ".jks": true, ".keystore": true, ".kdbx": true}

// PlaceOf returns the purpose of the file at a path for other programs. Obeyed takes precedence over
// Credentials.
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

// SampleOf reports whether sample is a sample of the file at a path, as .env.example is of .env: a
// copy of it under that name reads no credentials.
func SampleOf(sample, name string) bool {
	rest, ok := strings.CutPrefix(path.Base(sample), path.Base(name)+".")
	return ok && slices.Contains(templateSuffixes, rest)
}

// publicKey reports whether the name of a file is one that ssh-keygen(1) gives to a public key.
func publicKey(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.HasPrefix(base, "id_") && strings.HasSuffix(base, ".pub") && !strings.ContainsAny(base, "*?[{$")
}

// publicKeysOnly reports whether a key file contains only public keys, judging by its name.
func publicKeysOnly(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cert") || strings.Contains(name, "trust") || strings.Contains(name, "pub") || strings.HasPrefix(name, "ca.") || strings.HasPrefix(name, "ca-") || strings.Contains(name, "chain")
}

// matches reports whether elements begin with the elements of e. root is true for the first element
// of an absolute path.
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

// dotenv reports whether name is a file of environment variables
// (https://github.com/motdotla/dotenv) and not a sample.
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

// namedEnv reports whether name is a file of environment variables with a name before its extension,
// such as prod.env of docker-run(1), and neither a sample nor a member of an object, as in
// process.env.
func namedEnv(name string) bool {
	stem, ok := strings.CutSuffix(name, ".env")
	return ok && len(stem) > 2 && strings.Trim(stem, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && !slices.Contains(objectsWithEnv, stem) && !hasTemplateSuffix(stem)
}

// objectsWithEnv are objects of programs with a member env: https://nodejs.org/api/process.html#processenv.
var objectsWithEnv = strings.Fields("process meta ctx context this self workspace platform globalthis runtime default defaults job step matrix vars")
