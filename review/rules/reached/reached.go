// Package reached implements the rules of the S family about the effects of code, commands, and
// settings, based on the facts of package reach. Most facts are harmless in a first import, and
// warn only if a change adds them to an approved version. A few facts always warn.
package reached

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/internal/lazyregexp"
	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/reach"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
)

// Rules returns the rules about the facts that package reach finds.
func Rules() []rules.Rule {
	return []rules.Rule{
		factRule("S162", "Skips a check or widens permissions", func(f fact.Fact) bool {
			return f.Kind == fact.Rights && f.Use != fact.Granted // F105 compares the grants in front matter
		}, disablesProtection),
		factRule("S163", "Writes to a file that agents, shells, or schedulers follow", func(f fact.Fact) bool {
			return f.Kind == fact.Write || f.Kind == fact.File && (f.Use == fact.Mentioned || literal.PlaceOf(f.Value) == literal.Obeyed)
		}, nil),
		factRule("S164", "Reads stored credentials", func(f fact.Fact) bool { return f.Kind == fact.Secret && f.Use == fact.Store }, nil),
		factRule("S165", "Sends credentials or private data, or reads the whole environment", func(f fact.Fact) bool {
			return f.Kind == fact.Secret && (f.Use == fact.VariableSent || f.Use == fact.Private || f.Use == fact.Environment || exfiltratesCredentials(f))
		}, sendsCredentials),
		factRule("S166", "Runs downloaded code, or connects a shell to the network", func(f fact.Fact) bool {
			return f.Kind == fact.Run && (f.Use == fact.FetchedRun || f.Use == fact.Connected)
		}, fromUnknownHost),
		factRule("S167", "Runs or contains encoded text", func(f fact.Fact) bool {
			return f.Kind == fact.Run && (f.Use == fact.DecodedRun || f.Use == fact.Decoded || f.Use == fact.Evaluated)
		}, evaluatesReadData),
		factRule("S168", "Installs a package from an unusual registry, or a package with a look-alike name", func(f fact.Fact) bool {
			return f.Kind == fact.Run && (f.Use == fact.Registry || f.Use == fact.Package && imitatedPackage(f.Value) != "")
		}, nil),
		factRule("S169", "Fetches or sends data over plain http, without protection against changes in transit", func(f fact.Fact) bool {
			return f.Kind == fact.Out && f.Use == fact.PlainHTTP
		}, nil),
		factRule("S170", "Deletes logs, a home folder, or a disk, or sends encoded data", func(f fact.Fact) bool {
			return f.Kind == fact.File && (f.Use == fact.Wiped || strings.HasPrefix(f.Value, "/var/log")) || f.Kind == fact.Run && f.Use == fact.Command && networkCommand().MatchString(f.Value)
		}, hidesTraces),
		factRule(decisionRule, "Reaches something that the configuration warns about or blocks", func(fact.Fact) bool { return true }, nil),
	}
}

// decisionRule is the id of the rule that applies the configured decisions about facts.
const decisionRule = "S172"

// denied reports whether the clause of line that contains value has a negation before value.
func denied(line, value string) bool {
	i := strings.Index(strings.ToLower(line), strings.ToLower(value))
	if i < 0 {
		return false
	}
	clause := line[:i]
	for _, mark := range []string{". ", "; ", ": ", ", ", "(", "— "} {
		clause = clause[strings.LastIndex(clause, mark)+1:]
	}
	g := rulebook.Grammar()
	return g.Scan(clause).Concepts.Meets(g.Concept("negator"))
}

// facts contains the facts of a draft, grouped by text. known contains the keys of the facts that
// the live version also has. id is the id of the definition in lower case.
type facts struct {
	texts []textFacts
	known map[string]bool
	id    string
	// loweredTexts returns all texts of the draft in lower case, without addresses.
	loweredTexts func() string
}

// textFacts contains the facts of a text and the offsets of its lines.
type textFacts struct {
	*rules.Text
	facts []fact.Fact
	lines []int
}

// Difference returns the difference in reach between the live version and the draft of c.
func Difference(c *rules.Change) fact.Difference {
	return rules.Computed(c, func(c *rules.Change) fact.Difference {
		var before *registry.Definition
		if c.Before != nil {
			before = &c.Before.Definition
		}
		return reach.Compare(before, c.Draft.Definition)
	})
}

// read returns the facts of the draft of c, grouped by text.
func read(c *rules.Change) *facts {
	l := &facts{known: map[string]bool{}, id: strings.ToLower(c.Draft.Definition.ID())}
	d := Difference(c)
	for _, f := range d.Unchanged {
		l.known[f.Key] = true
	}
	byPath := map[string][]fact.Fact{}
	for _, f := range slices.Concat(d.Added, d.Unchanged) {
		path := "definition." + f.Path
		if c.Draft.Definition.Folder() != nil {
			path = jsondoc.Join("definition.files", f.Path) + ".text"
		}
		byPath[path] = append(byPath[path], f)
	}
	texts := c.Texts()
	l.loweredTexts = sync.OnceValue(func() string {
		var said strings.Builder
		for i := range texts {
			said.WriteString(addresses().ReplaceAllString(strings.ToLower(texts[i].Value), " "))
		}
		return said.String()
	})
	for i := range texts {
		if of := byPath[texts[i].Path]; of != nil {
			t := textFacts{&texts[i], of, []int{0}}
			for at, b := range []byte(t.Value) {
				if b == '\n' {
					t.lines = append(t.lines, at+1)
				}
			}
			l.texts = append(l.texts, t)
			delete(byPath, texts[i].Path)
		}
	}
	return l
}

// factRule returns a rule about the facts that the first predicate selects. The rule reports one
// finding for each line with such a fact. In the message, deed describes the fact. The second
// predicate, grave, may be nil. If it returns true for a fact and its line, the finding is a
// warning.
func factRule(id, deed string, about func(fact.Fact) bool, grave func(fact.Fact, string, *facts) bool) rules.Rule {
	type reason struct {
		deed     string
		severity rules.Severity
		carried  bool
	}
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		if c.Draft.Type == proposals.Deactivate {
			return nil
		}
		all := rules.Computed(c, read)
		var found []rules.Finding
		for i := range all.texts {
			t := &all.texts[i]
			var spans []rules.Passage
			at := map[int]reason{}
			for _, f := range t.facts {
				decision := c.Reach.Of(f)
				if !about(f) || f.Line > len(t.lines) || decision == fact.Allow && f.Use != fact.Unread || id == decisionRule && decision == fact.Undecided && f.Use != fact.Unread {
					continue
				}
				span := t.line(f)
				line := t.Value[span.Start:span.End]
				if id != decisionRule && (denied(line, f.Value) || ownServer(f, all) || strings.HasSuffix(f.Value, "*") || strings.Contains(line, "{{"+f.Value+"}}")) || id == "S163" && f.Kind == fact.File && !ordersWriting(line, f.Value) {
					continue
				}
				r := reason{deed: deed, carried: all.known[f.Key] && (f.Kind != fact.File || id == decisionRule)} // the instruction to write may be new even if the live version mentions the file
				if id == decisionRule {
					r.deed, r.severity = "Reaches "+f.Words()+", and [reach] in toolcrib.toml sets this to "+string(decision), rules.Severity(decision)
				}
				if id == decisionRule && f.Use == fact.Unread {
					r.deed, r.severity = "toolcrib could not read this text because of a fault in toolcrib ("+f.Value+"); report the fault", rules.Block
				}
				if name := imitatedPackage(f.Value); f.Use == fact.Package && name != "" {
					r.deed += " (the usual package is " + name + ")"
				}
				if grave != nil && grave(f, line, all) {
					r.severity = rules.Warn
				} else if id == "S170" || id == "S167" {
					continue // an ordinary command or call
				}
				if other, ok := at[span.Start]; ok {
					if r.severity.Rank() <= other.severity.Rank() {
						r.deed, r.severity = other.deed, other.severity
					}
					r.carried = r.carried && other.carried
				}
				spans, at[span.Start] = append(spans, span), r
			}
			inText := t.Findings(spans, func(p rules.Passage) string { return rules.Quoting(at[p.Start].deed, t.Value[p.Start:p.End]) })
			for k, p := range rules.Merge(spans)[:len(inText)] {
				inText[k].Severity, inText[k].Carried = at[p.Start].severity, at[p.Start].carried
			}
			found = append(found, inText...)
		}
		return found
	})
}

// line returns the line of the fact f without surrounding white space. If the line is too long, it
// returns the value of f or the beginning of the line.
func (t *textFacts) line(f fact.Fact) rules.Passage {
	start := t.lines[max(0, f.Line-1)]
	end := len(t.Value)
	if f.Line < len(t.lines) {
		end = t.lines[f.Line]
	}
	line := t.Value[start:end]
	start += len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
	end -= len(line) - len(strings.TrimRightFunc(line, unicode.IsSpace))
	if i := strings.Index(t.Value[start:max(start, end)], f.Value); end-start > mostLine && i >= 0 {
		return rules.Passage{Start: start + i, End: start + i + len(f.Value)}
	}
	return rules.Passage{Start: start, End: max(start, start+len(plaintext.CutBytes(t.Value[start:max(start, end)], mostLine)))}
}

// ordersWriting reports whether line, a line of prose, begins with an instruction to write to the
// file called value.
func ordersWriting(line, value string) bool {
	m := written().FindStringIndex(line)
	if m == nil {
		return false
	}
	at := strings.Index(line[m[1]:], value)
	return at >= 0 && at < maxDistance
}

// maxDistance is the maximum number of bytes between a preposition such as "to" and the name of the
// file.
const maxDistance = 40

var written = lazyregexp.New(`(?i)^[-*+>#0-9.\s]*(?:(?:then|also|always|next|finally|first),? )?(?:copy|append|add|write|put|insert|install|store|save|paste|prepend|register)\b[^.;]{0,60}?\b(?:to|into|in)\b`)

// mostLine is the maximum length in bytes of a line that a finding quotes in full.
const mostLine = 480
