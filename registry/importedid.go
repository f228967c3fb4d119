package registry

import (
	"strings"
	"unicode"
)

// ImportedID makes an id in toolcrib's form from the name of a server, "" for
// none, and the name that a tool has there: "listIssues" of "@acme/tracker"
// becomes acme_tracker_list_issues. Different names can make the same id;
// DistinctID tells those apart.
func ImportedID(server, name string) string {
	words, prefix := snake(name), snake(server)
	if words == "" {
		words = "tool_" + mark(name)
	}
	if prefix != "" && words != prefix && !strings.HasPrefix(words, prefix+"_") {
		words = prefix + "_" + words
	}
	if words[0] >= '0' && words[0] <= '9' {
		words = "t_" + words
	}
	if len(words) > MaxIDLength {
		return marked(words, server+"\n"+name)
	}
	return words
}

// DistinctID is ImportedID for a name that shares its id with another one: a
// mark of the name itself tells them apart, whichever is met first.
func DistinctID(server, name string) string {
	return marked(ImportedID(server, name), server+"\n"+name)
}

// marked puts a mark of name behind an id, cutting the id where it has to.
func marked(id, name string) string {
	m := "_x" + mark(name)
	return strings.TrimRight(id[:min(len(id), MaxIDLength-len(m))], "_") + m
}

// mark is a short hash of a name.
func mark(name string) string { return HashBytes([]byte(name))[:8] }

// snake writes a name as lower-case words of ASCII letters and digits joined by
// "_"; everything else divides words, and so does a capital after a small
// letter.
func snake(name string) string {
	var b strings.Builder
	last := '_'
	runes := []rune(name)
	for i, r := range runes {
		letter := r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		boundary := unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last) || unicode.IsUpper(last) && next)
		if (!letter || boundary) && b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
		if letter {
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return strings.TrimRight(b.String(), "_")
}

// ServerName makes the name of a server from that of a file or package: without
// folder, extension and version, in the form of an id.
func ServerName(file string) string {
	base := file[strings.LastIndexAny(file, `/\`)+1:]
	base = strings.TrimSuffix(base, ".json")
	if i := strings.LastIndexByte(base, '@'); i > 0 && i+1 < len(base) && base[i+1] >= '0' && base[i+1] <= '9' {
		base = base[:i]
	}
	return snake(base)
}
