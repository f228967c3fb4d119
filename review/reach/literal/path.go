// This file recognizes paths outside the subject's folder.

package literal

import (
	"slices"
	"strings"

	"toolcrib/review/reach/fact"
)

// roots are the top-level folders of a file system: https://refspecs.linuxfoundation.org/fhs.shtml
// and https://developer.apple.com/library/archive/documentation/FileManagement (macOS). An absolute
// path below any other folder is more likely a route of a web server.
var roots = map[string]bool{
	"etc": true, "usr": true, "var": true, "tmp": true, "opt": true, "home": true, "root": true, "proc": true, "sys": true, "dev": true, "mnt": true, "boot": true,
	"bin": true, "sbin": true, "srv": true, "run": true, "lib": true, "media": true, "Users": true, "Library": true, "Applications": true, "Volumes": true, "private": true, "System": true,
}

// homes are the prefixes of paths that a shell expands to the home folder or to another folder
// outside the subject's folder.
var homes = []string{"~/", "$HOME", "${HOME}", "$env:", "%APPDATA%", "%LOCALAPPDATA%", "%USERPROFILE%", "%TEMP%", "%PROGRAMDATA%", "$XDG_", "${XDG_"}

// path adds the facts of name, which may be a path. It adds a credential store, a file that other
// programs obey, or a path outside the subject's folder.
func (s *scanner) path(at int, name string) {
	name = strings.TrimRight(name, ".:")
	if name == "" || strings.Contains(name, "://") {
		return
	}
	switch PlaceOf(name) {
	case Credentials:
		s.Add(at, fact.Secret, fact.Store, strings.TrimPrefix(name, "./"))
		return
	case Obeyed:
		key := name
		if i := strings.LastIndexByte(name, '/'); i > 0 && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~") && !strings.HasPrefix(name, "$") && strings.HasSuffix(name, ".md") {
			key = name[i+1:] // each folder of a project may contain a file with this name
		}
		s.AddKey(at, fact.File, fact.Mentioned, strings.TrimPrefix(name, "./"), fact.Mentioned+"\x00"+key)
		return
	case Nowhere:
	}
	if s.outside(at, name) {
		s.Add(at, fact.File, fact.Literal, name)
	}
}

// outside reports whether name, at the given offset, is a path outside the subject's folder.
func (s *scanner) outside(offset int, name string) bool {
	if strings.Contains(name, "path/to") || strings.Contains(name, `path\to`) { // a placeholder
		return false
	}
	for _, home := range homes {
		if strings.HasPrefix(name, home) && strings.ContainsAny(name, `/\`) {
			return true
		}
	}
	if strings.HasPrefix(name, "../") {
		return strings.Count(name, "../") > s.ParentFolders()
	}
	if len(name) > 3 && name[1] == ':' && name[2] == '\\' && classes[name[0]]&upper != 0 {
		return true
	}
	if len(name) < 2 || name[0] != '/' {
		return false
	}
	first, rest, _ := strings.Cut(name[1:], "/")
	if !roots[first] || rest == "" || s.route(offset) || s.isPrecededBy(offset, ")", "}", "]", ">") {
		return false
	}
	switch first {
	case "dev": // streams, null(4), random(4)
		return !strings.HasPrefix(rest, "null") && !strings.HasPrefix(rest, "std") && !strings.HasPrefix(rest, "tty") && !strings.HasPrefix(rest, "zero") && !strings.HasSuffix(rest, "random") && !strings.HasPrefix(rest, "fd")
	case "bin", "usr": // the interpreter in the first line of a script, execve(2)
		return !s.isPrecededBy(offset, "#!") && rest != "bin/env" && rest != "sh" && rest != "bash"
	}
	return true
}

// route reports whether the path at the given offset follows a request method (RFC 9110).
func (s *scanner) route(offset int) bool {
	before := strings.TrimRight(s.Text[max(0, offset-10):offset], " `\"'")
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
	return slices.ContainsFunc(methods, func(method string) bool { return strings.HasSuffix(before, method) })
}

// personal are the folders in a home folder that contain a user's files. The names are from
// xdg-user-dir(1), Windows, and macOS.
var personal = map[string]bool{"Desktop": true, "Documents": true, "Downloads": true, "Movies": true, "Music": true, "Pictures": true, "Videos": true}

var plainPath = strings.NewReplacer(`\`, "/", "{", "", "}", "")

// Whole reports whether deleting name would delete a whole file system or all files of a user. Such
// a path is the root of a file system, a top-level folder, a drive, a home folder, or a folder of a
// user's files. Whole also returns name in a normal form, without a trailing wildcard.
func Whole(name string) (string, bool) {
	name = strings.TrimRight(plainPath.Replace(name), "*")
	trimmed := strings.TrimRight(name, "/")
	for _, home := range []string{"~", "$HOME", "$env:USERPROFILE", "$env:HOME", "%USERPROFILE%"} {
		if rest, ok := strings.CutPrefix(trimmed, home); ok && (rest == "" || rest[0] == '/' && personal[rest[1:]]) {
			return trimmed, true
		}
	}
	parts := strings.Split(trimmed, "/")
	switch {
	case name == "":
		return "", false
	case trimmed == "":
		return "/", true
	case len(parts) == 1:
		return trimmed, len(trimmed) == 2 && trimmed[1] == ':' || trimmed == "$env:SystemDrive"
	case len(parts) == 2:
		return trimmed, parts[0] == "" && roots[parts[1]] && parts[1] != "tmp"
	}
	return trimmed, len(parts) == 3 && parts[0] == "" && (parts[1] == "home" || parts[1] == "Users") && !strings.ContainsAny(parts[2], "<$[")
}
