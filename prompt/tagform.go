package prompt

import (
	"regexp/syntax"
	"strings"

	"toolcrib/registry"
)

// argument is the name of a tag's argument when nobody named it.
const argument = "argument"

// tagForm returns how a tag is written, such as "MOVE: <task> to <list>". The
// part after the colon is read off the argument pattern where that is made of
// groups, plain text and white space; of any other pattern only the groups'
// names are shown.
func tagForm(t registry.Tag) string {
	return strings.TrimSpace(oneLine(t.Prefix) + ": " + argumentForm(t))
}

func argumentForm(t registry.Tag) string {
	if t.ArgPattern != "" {
		re, err := syntax.Parse(t.ArgPattern, syntax.Perl)
		if err == nil {
			var b strings.Builder
			if writeForm(&b, re, t.ArgGroups) {
				return oneLine(b.String())
			}
		}
	}
	if len(t.ArgGroups) == 0 {
		return "<" + argument + ">"
	}
	return "<" + strings.Join(t.ArgGroups, "> <") + ">"
}

// writeForm writes what re matches in the notation of manuals: <group>, and
// [what may be left out]. It reports whether that can be said so.
func writeForm(b *strings.Builder, re *syntax.Regexp, groups []string) bool {
	switch re.Op { //nolint:exhaustive // every other pattern cannot be said so
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text) // the parser has made it upper case
		}
		b.WriteString(text)
		return true
	case syntax.OpCapture:
		b.WriteString("<" + groupName(re, groups) + ">")
		return true
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !writeForm(b, sub, groups) {
				return false
			}
		}
		return true
	case syntax.OpCharClass, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		if space(re) {
			b.WriteByte(' ')
			return true
		}
		if re.Op != syntax.OpQuest {
			return false
		}
		b.WriteString(" [")
		ok := writeForm(b, re.Sub[0], groups)
		b.WriteByte(']')
		return ok
	}
	return false
}

func groupName(re *syntax.Regexp, groups []string) string {
	switch {
	case re.Cap <= len(groups):
		return groups[re.Cap-1]
	case re.Name != "":
		return re.Name
	}
	return argument
}

// space reports whether re matches white space only, however much.
func space(re *syntax.Regexp) bool {
	switch re.Op { //nolint:exhaustive // nothing else is white space alone
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		return space(re.Sub[0])
	case syntax.OpLiteral:
		return strings.TrimSpace(string(re.Rune)) == ""
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if hi > ' ' || lo < '\t' || lo <= '\r' && hi > '\r' && hi < ' ' {
				return false
			}
		}
		return len(re.Rune) > 0
	}
	return false
}
