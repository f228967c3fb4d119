// This file checks front matter, and text in Markdown that viewers do not show.

package files

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/review/reach"
	"toolcrib/review/rules"
)

// permissions reports the permissions that the front matter of f grants. It omits permissions that
// the previous version of the file already grants. In a new file, it omits narrow permissions.
func permissions(name string, f registry.File, before *registry.File) []rules.Finding {
	if !markdown(name) {
		return nil
	}
	had := map[string]bool{}
	if before != nil {
		for _, g := range grants(before.Text) {
			had[g] = true
		}
	}
	text := &rules.Text{Path: jsondoc.Join(filePath(name), "text"), Value: f.Text}
	var found []rules.Finding
	for _, g := range grants(f.Text) {
		if had[g] || before == nil && isNarrow(g) {
			continue
		}
		finding := rules.Finding{Path: text.Path, Message: fmt.Sprintf("The front matter of %s grants %s.", jsondoc.Printable(name), jsondoc.Printable(g))}
		if _, passage, _ := strings.Cut(g, ": "); strings.Contains(f.Text, passage) {
			start := strings.Index(f.Text, passage)
			finding = text.Findings([]rules.Passage{{Start: start, End: start + len(passage)}}, func(rules.Passage) string { return finding.Message })[0]
		}
		found = append(found, finding)
	}
	return found
}

// granting contains the keys of front matter that can allow an agent to act without asking.
var granting = []string{"allowed-tools", "allowedTools", "permissionMode", "permission-mode", "hooks", "permissions", "mcpServers"}

// grants returns the permissions that the front matter of text grants. Each has the form "key:
// value".
func grants(text string) []string {
	front, _, ok := mdfile.SplitFront(text)
	if !ok {
		return nil
	}
	var list []string
	for _, m := range mdfile.LooseFront(front).Members {
		if slices.Contains(granting, m.Key) {
			m.Value.Walk(func(n *jsondoc.Node, _ func() string) bool {
				if n.Kind == jsondoc.String {
					for _, v := range reach.Listed(n.Text) {
						list = append(list, m.Key+": "+v)
					}
				}
				return true
			})
		}
	}
	return list
}

// isNarrow reports whether grant allows only tools that do not run arbitrary commands, or only
// particular commands.
func isNarrow(grant string) bool {
	key, value, _ := strings.Cut(grant, ": ")
	if !strings.Contains(strings.ToLower(key), "tools") {
		return false
	}
	tool, args, named := strings.Cut(value, "(")
	switch strings.ToLower(tool) {
	case "bash", "shell", "terminal", "execute", "runcommands", "run_shell_command", "*", "all":
		return named && !strings.HasPrefix(args, "*") && !strings.HasPrefix(args, ":*")
	}
	return true
}

// unparsed reports front matter that clients cannot parse. Clients silently ignore such front
// matter, including its restrictions.
func unparsed(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	eachText(c, func(name string, t *rules.Text) {
		if !markdown(name) || name != registry.SkillFile && c.Draft.Subject.Kind != registry.KindInstructions {
			return
		}
		front, _, ok := mdfile.SplitFront(t.Value)
		switch {
		case mdfile.OpenFront(t.Value):
			found = append(found, rules.Finding{
				Path: t.Path, Line: 1, Column: 1, Message: "The front matter has no end.",
				Suggestion: "Close it with a line of three hyphens, because clients now read the whole file as text.",
			})
			return
		case !ok || !mdfile.HasKeys(front) && name != registry.SkillFile:
			return
		}
		problems, lenient := mdfile.FrontFaults(front)
		if lenient && strings.EqualFold(path.Ext(name), ".mdc") {
			return // Cursor writes such front matter, and can read it
		}
		for _, p := range problems {
			f := rules.Finding{Path: t.Path, Line: p.Pos.Line, Column: p.Pos.Column, Message: "Front matter: " + strings.TrimSuffix(p.Message, ".") + "."}
			if lenient && len(grants(t.Value)) == 0 { // a grant that a client cannot parse may lose its restrictions
				f.Severity, f.Suggestion = rules.Info, "Put the value in quotes, because only some clients accept it without quotes."
			}
			found = append(found, f)
		}
	})
	return found
}

// maxProject is the maximum number of bytes that Codex reads from the AGENTS.md files of a project
// by default (project_doc_max_bytes).
const maxProject = 32 << 10

// skillName matches the names of skills that every client accepts (agentskills.io/specification).
var skillName = lazyregexp.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// skippedByClients reports files that some clients silently ignore or truncate.
func skippedByClients(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	eachText(c, func(name string, t *rules.Text) {
		add := func(message, advice string) {
			found = append(found, rules.Finding{Path: t.Path, Line: 1, Column: 1, Message: message, Suggestion: advice})
		}
		if agents := path.Base(name); (agents == "AGENTS.md" || agents == "AGENTS.override.md") && len(t.Value) > maxProject {
			add(fmt.Sprintf("Codex reads only the first %d bytes of the file.", maxProject), "Shorten it, or raise project_doc_max_bytes in the configuration of Codex.")
		}
		if name != registry.SkillFile {
			return
		}
		front, _, ok := mdfile.SplitFront(t.Value)
		if !ok {
			if !mdfile.OpenFront(t.Value) { // F108 reports front matter without an end
				add("The file has no front matter, so clients do not offer the skill.", "Begin it with front matter that has a name and a description.")
			}
			return
		}
		if strings.HasPrefix(t.Value, "\ufeff") {
			add("The file begins with a byte order mark, so some clients find no front matter.", "Save it as UTF-8 without a byte order mark.")
		}
		if first, _, _ := strings.Cut(t.Value, "\n"); strings.HasSuffix(first, "\r") {
			add("The front matter has CRLF line endings, so some clients do not find it.", "Save it with LF line endings.")
		}
		keys := mdfile.LooseFront(front)
		value := func(key string) string {
			if n := keys.Get(key); n != nil {
				return n.Text
			}
			return ""
		}
		given, folder := value("name"), path.Base(c.Draft.Definition.Folder().Path)
		switch {
		case given == "":
			add("The front matter has no name, so some clients skip the skill.", "Name the skill after its folder.")
		case !skillName().MatchString(given):
			add(fmt.Sprintf("Some clients skip the skill because of its name %s.", jsondoc.Quote(given)), "Use lower-case letters, digits, and hyphens.")
		case given != folder:
			add(fmt.Sprintf("Some clients skip the skill because its name %s differs from its folder %s.", jsondoc.Quote(given), jsondoc.Quote(folder)), "Name the skill after its folder.")
		}
		if value("description") == "" {
			add("The front matter has no description, so clients do not know when to use the skill.", "Describe in a sentence what the skill does and when to use it.")
		}
	})
	return found
}

var (
	comments    = lazyregexp.New(`(?s)<!--(.*?)(?:-->|$)`)
	commentMark = lazyregexp.New(`(?is)<(\w+)[^>]*(?:\shidden\b|style\s*=\s*["'][^"']*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?:[;"' ]|\.0)|color\s*:\s*(?:#fff(?:fff)?|white|transparent)))[^>]*>(.*?)</`)
	linkTitle   = lazyregexp.New(`\[\s*\]\([^)\s]*\s+"([^"]+)"\)`)
	defined     = lazyregexp.New(`(?m)^\[[^\]\n]*\]:\s*(?:#|<>|about:blank)\s*[("'](.+)[)"']\s*$`)
)

// minHiddenWords is the minimum number of words of a hidden passage that is reported. Shorter
// passages are usually marks for programs.
const minHiddenWords = 6

func hidden(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	eachText(c, func(name string, t *rules.Text) {
		if !markdown(name) {
			return
		}
		var noted, spans []rules.Passage
		for _, form := range []struct {
			may     func(text string) bool // fast check; if it returns false, pattern has no match
			pattern func() *regexp.Regexp
			spans   *[]rules.Passage
		}{{containing("<!--"), comments, &noted}, {hidingTag, commentMark, &spans}, {containing("]("), linkTitle, &spans}, {definesNothing, defined, &spans}} {
			if !form.may(t.Value) {
				continue
			}
			code := fences{text: t.Value}
			for _, m := range form.pattern().FindAllStringSubmatchIndex(t.Value, -1) {
				if start, end := m[len(m)-2], m[len(m)-1]; len(strings.Fields(t.Value[start:end])) >= minHiddenWords && !code.contain(start) {
					*form.spans = append(*form.spans, rules.Passage{Start: start, End: end})
				}
			}
		}
		message := func(rules.Passage) string {
			return "Markdown viewers do not show this, but the agent reads it."
		}
		found = append(found, t.Findings(spans, message)...)
		for _, f := range t.Findings(noted, message) {
			f.Severity = rules.Info // authors leave notes in comments; S107 checks the comments for instructions
			found = append(found, f)
		}
	})
	return found
}

func containing(part string) func(string) bool {
	return func(text string) bool { return strings.Contains(text, part) }
}

// hidingTag reports whether a tag in text contains an attribute that may hide the content of the
// tag.
func hidingTag(text string) bool {
	if !strings.Contains(text, "</") {
		return false
	}
	for i := strings.IndexByte(text, '<'); i >= 0; i = strings.IndexByte(text, '<') {
		tag, rest, _ := strings.Cut(text[i:], ">")
		if tag = strings.ToLower(tag); strings.Contains(tag, "hidden") || strings.Contains(tag, "style") {
			return true
		}
		text = rest
	}
	return false
}

// definesNothing reports whether text contains a line that may be a link definition without a
// destination.
func definesNothing(text string) bool {
	at := 0
	for line := range strings.Lines(text) {
		if i := strings.Index(line, "]:") + len("]:"); line[0] == '[' && i > 1 {
			target := strings.TrimSpace(text[at+i : min(len(text), at+i+80)])
			if target == "" || target[0] == '#' || target[0] == '<' || target[0] == 'a' {
				return true
			}
		}
		at += len(line)
	}
	return false
}

// fences counts the fences of code blocks in a text. It reads the text only once, so callers must
// pass increasing offsets.
type fences struct {
	text  string
	next  int // start of the first line that has not been counted
	count int
}

// contain reports whether the byte at offset is in a fenced code block. Viewers show everything in
// a fenced code block.
func (f *fences) contain(offset int) bool {
	isFence := func(line string) bool {
		line = strings.TrimSpace(line)
		return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
	}
	for {
		n := strings.IndexByte(f.text[f.next:offset], '\n')
		if n < 0 {
			break
		}
		if isFence(f.text[f.next : f.next+n]) {
			f.count++
		}
		f.next += n + 1
	}
	return (f.count%2 == 1) != isFence(f.text[f.next:offset])
}
