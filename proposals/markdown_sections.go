package proposals

import (
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
)

// readExamples reads a list of examples: bullets, the further lines of one
// indented by two spaces; or one YAML block with the list, for texts that
// bullets cannot carry.
func readExamples(p *page) (*jsondoc.Node, jsondoc.Problems) {
	if p.atBlock() {
		return readList(p)
	}
	list := &jsondoc.Node{Kind: jsondoc.Array, Pos: p.pos()}
	var (
		ps    jsondoc.Problems
		lines []string // of the last example
	)
	finish := func() {
		if n := len(list.Items); n > 0 {
			list.Items[n-1].Text = strings.TrimRight(strings.Join(lines, "\n"), " \t")
		}
	}
	for empty := p.skipBlank(); p.more(); empty = p.skipBlank() {
		if len(list.Items) > maxList {
			return list, ps // the reader of the list reports that it is too long
		}
		if text, ok := bullet(p.line()); ok {
			finish()
			list.Items = append(list.Items, &jsondoc.Node{Kind: jsondoc.String, Pos: p.pos()})
			lines = []string{text}
		} else if text, ok := strings.CutPrefix(p.line(), "  "); ok && len(list.Items) > 0 {
			lines = append(append(lines, make([]string, empty)...), text)
		} else {
			ps.Append(p.refuse(p.key, `expected an example behind "- ", or two spaces in front of a line that continues one`)...)
		}
		p.at++
	}
	finish()
	return list, ps
}

// bullet returns the text behind a bullet.
func bullet(line string) (string, bool) {
	for _, mark := range []string{"-", "*"} {
		rest, ok := strings.CutPrefix(line, mark)
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return strings.TrimLeft(rest, " \t"), true
		}
	}
	return "", false
}

// bulletable reports whether text comes back unchanged from a bullet.
func bulletable(text string) bool {
	if !mdfile.Representable(text) || text[0] == ' ' || text[0] == '\t' {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && isBlank(line) {
			return false
		}
	}
	return true
}

// readList reads a section that is one YAML block with the whole list.
func readList(p *page) (*jsondoc.Node, jsondoc.Problems) {
	list, ps := p.block(p.key)
	p.skipBlank()
	if p.more() {
		ps.Append(p.refuse(p.key, "expected nothing behind the block, which holds the whole list")...)
	}
	if list == nil {
		list = &jsondoc.Node{Kind: jsondoc.Array, Pos: p.pos()}
	}
	return list, ps
}

const caseHeading = "###"

// readTestCases reads a list of test cases: for each a third-level heading with
// its name and a YAML block with the rest; or one YAML block with the list, for
// names that a heading cannot carry.
func readTestCases(p *page) (*jsondoc.Node, jsondoc.Problems) {
	if p.atBlock() {
		return readList(p)
	}
	list := &jsondoc.Node{Kind: jsondoc.Array, Pos: p.pos()}
	var ps jsondoc.Problems
	for p.skipBlank(); p.more() && len(list.Items) <= maxList; p.skipBlank() {
		name, ok := caseName(p.line())
		if !ok {
			ps.Append(p.refuse(p.key, "expected a heading %q with the name of a test case, and a ```yaml block with its input, expect, output and checks", caseHeading+" ")...)
			p.skipToCase()
			continue
		}
		path := jsondoc.Index(p.key, len(list.Items))
		tc, problems := readTestCase(p, path, name)
		list.Items = append(list.Items, tc)
		ps.Append(problems...)
	}
	return list, ps
}

// skipToCase skips the lines up to the next heading, so that a problem is reported
// once.
func (p *page) skipToCase() {
	for p.at++; p.more(); p.at++ {
		if _, ok := caseName(p.line()); ok {
			return
		}
	}
}

func readTestCase(p *page, path, name string) (*jsondoc.Node, jsondoc.Problems) {
	tc := &jsondoc.Node{Kind: jsondoc.Object, Pos: p.pos()}
	if name != "" {
		tc.Members = append(tc.Members, jsondoc.Member{
			Key: "name", Pos: p.pos(),
			Value: &jsondoc.Node{Kind: jsondoc.String, Pos: p.pos(), Text: name},
		})
	}
	p.at++
	p.skipBlank()
	if !p.atBlock() {
		return tc, nil
	}
	rest, ps := p.block(path)
	switch {
	case rest == nil:
	case rest.Kind != jsondoc.Object:
		ps.Append(problemAt(rest, path, "expected the keys input, expect, output and checks, got "+rest.Kind.String())...)
	case rest.Get("name") != nil:
		ps.Append(problemAt(rest.Get("name"), jsondoc.Join(path, "name"), "a test case is named by its heading; leave the key out")...)
	default:
		tc.Members = append(tc.Members, rest.Members...)
	}
	return tc, ps
}

// caseName returns the name that a heading of a test case holds.
func caseName(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, caseHeading)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return strings.Trim(rest, " \t"), true
}

// headable reports whether name comes back unchanged from a heading.
func headable(name string) bool {
	return name == strings.Trim(name, " \t") && !strings.ContainsAny(name, "\r\n")
}
