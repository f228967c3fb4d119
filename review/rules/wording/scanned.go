package wording

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/scan"
)

// grammar is the compiled lexicon with the frames of every class of attack.
func grammar() *scan.Grammar { return rulebook.Grammar() }

// severities returns the severity of each class of attack, by id.
var severities = sync.OnceValue(func() map[string]rules.Severity {
	m := map[string]rules.Severity{}
	for _, a := range attacks() {
		m[a.ID] = a.severity
	}
	return m
})

// Scanned is one text with what the scanner found in it.
type Scanned struct {
	rules.Text
	*scan.Result
	Hidden []scan.Hidden
	Plain  bool             // printable ASCII only
	byRule map[string][]int // indices of Matches by the rule they are for
}

// Scan reads every text of the change once, for all rules.
func (c *View) Scan() []Scanned {
	c.scans.Do(func() {
		g := grammar()
		for _, t := range c.Texts() {
			s := Scanned{Text: t, Result: g.Scan(t.Value), Plain: scan.Plain(t.Value)}
			if !s.Plain {
				s.Hidden = scan.FindHidden(t.Value)
			}
			if len(s.Matches) > 0 {
				s.byRule = map[string][]int{}
				for i, m := range s.Matches {
					s.byRule[m.Frame] = append(s.byRule[m.Frame], i)
				}
			}
			c.scanList = append(c.scanList, s)
		}
	})
	return c.scanList
}

// mentioned reports whether m is spoken of rather than said: a phrase that a
// detector quotes, an example, the object of a description.
func mentioned(m *scan.Match) bool { return denied(m) || setApart(m) || sampled(m) }

// denied reports whether the text asserts the opposite of m, or tells the model to
// refuse it. Nobody denies encoded text.
func denied(m *scan.Match) bool {
	return !m.Disguise.Decoded() && m.Stance&(scan.Negated|scan.Asked|scan.Crossed|scan.Shown) != 0
}

// setApart reports whether it is plain that the text only mentions m: m is in
// quotation marks or directly behind words that announce it, or the text tells the
// model not to follow it.
func setApart(m *scan.Match) bool {
	g := grammar()
	if m.Disguise.Decoded() {
		return false // nobody encodes an example
	}
	detects, mentions := g.Concept("detect"), g.Concept("mentioning")
	samples, sample := g.Concept("sampled"), g.Concept("sample")
	switch {
	case m.Before.Meets(detects) && (m.Quoted || m.Lead.Meets(mentions)):
		return true
	case m.Lead.Meets(samples) && m.Lead.Meets(sample), m.Quoted && sampled(m):
		return true
	case m.Quoted && m.Lead.Meets(mentions):
		return true
	case m.Lead.Meets(g.Concept("urging")) && m.Sentence.Meets(g.Concept("when")) && m.Sentence.Meets(g.Concept("neg")):
		return true
	}
	return false
}

// sampled reports whether words further up call m a sample, or ask whether a
// text says so. It may be meant to be followed all the same.
func sampled(m *scan.Match) bool {
	g := grammar()
	if m.Disguise.Decoded() {
		return false
	}
	meets := func(concepts ...string) bool {
		return !slices.ContainsFunc(concepts, func(c string) bool { return !m.Before.Meets(g.Concept(c)) })
	}
	return meets("sampled", "sample") || meets("detect", "whether", "attempting")
}

// disguised says in words how m was kept from sight, "" when it was not.
func disguised(d scan.Disguise) string { return strings.Join(d.Names(), ", ") }

// Governs reports whether the text is an agent's own instruction, which may decide
// which tools to use, when, and in which order.
func (s *Scanned) Governs() bool {
	switch s.Path {
	case "definition.prompt", "definition.soul", "definition.promptTemplate", "definition.operatingModel", "definition.interactionLearning",
		"definition.onboarding", "definition.sessionOpen.bootstrap", "definition.sessionOpen.returning":
		return true
	}
	return under(s.Path, "definition.channelGuidance")
}

// Reading is a text to look at: the one of the field, or one decoded from a
// passage of it.
type Reading struct {
	Text    string
	decoded bool
	passage rules.Passage // the encoded passage
}

// Readings returns the text of the field and the texts decoded from it.
func (s *Scanned) Readings() []Reading {
	list := []Reading{{Text: s.Value}}
	for _, d := range s.Decoded {
		list = append(list, Reading{d.Text, true, rules.Passage{Start: d.Start, End: d.End, Disguise: d.Disguise}})
	}
	return list
}

// At returns the passage of the field that bytes start to end of r stand for.
func (r Reading) At(start, end int) rules.Passage {
	if r.decoded {
		return r.passage
	}
	return rules.Passage{Start: start, End: end}
}

// View is a change as the rules about wording see it: with its texts scanned and
// weighed, once for all of them.
type View struct {
	*rules.Change
	// Learned is the table that the wording is weighed by; nil is the one in force.
	Learned *Learned

	scans      sync.Once
	scanList   []Scanned
	purposes   sync.Once
	purposeSet scan.Set
	evidences  sync.Once
	evidenceOf *evidence
	settings   sync.Once
	settingOf  *setting
}

// Of returns the view of c, which all rules share.
func Of(c *rules.Change) *View {
	return rules.Computed(c, func(c *rules.Change) *View { return &View{Change: c} })
}

// EachText makes a check of one that looks at one text at a time.
func EachText(check func(s *Scanned) []rules.Finding) func(context.Context, *rules.Change) ([]rules.Finding, error) {
	return func(_ context.Context, change *rules.Change) ([]rules.Finding, error) {
		c := Of(change)
		var found []rules.Finding
		for i := range c.Scan() {
			found = append(found, check(&c.Scan()[i])...)
		}
		return found, nil
	}
}

// inValue reports whether S150 applies to s.
func (s *Scanned) inValue() bool {
	return s.Kind == rules.Value || s.Kind == rules.Note || s.Kind == rules.Label && s.Param != ""
}

// privatePlace is a place in a value that something private is to be put into.
var privatePlace = sync.OnceValue(func() *regexp.Regexp {
	const (
		private = `conversation|chat|history|transcript|system[ _]prompt|passwords?|cookies?|secrets?|credentials?|` +
			`memory|memories|last[ _]message|clipboard`
		around = `[^{}<>\[\]]{0,40}`
	)
	return regexp.MustCompile(`(?i)(?:\{\{|\$\{|<|\[\[)` + around + `\b(?:` + private + `)\b` + around + `(?:\}|>|\])`)
})

// copying are names of parameters for further recipients of a call.
var copying = words("bcc cc blind_copy copy_to also_to forward_to reply_to notify notify_url callback callback_url webhook webhook_url mirror report_to postback beacon")

// valuesThatLeak finds values with a place for something private, and fixed
// addresses in parameters for further recipients.
func valuesThatLeak(c *View) []candidate {
	if !c.IsAction() {
		return nil
	}
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if s.Kind != rules.Value || s.Param == "" || len(s.Value) < 6 {
			continue
		}
		var spans []rules.Passage
		if strings.ContainsAny(s.Value, "{<[") && !c.about("dTalk|dAuth") {
			if at := privatePlace().FindStringIndex(s.Value); at != nil {
				spans = append(spans, rules.Passage{Start: at[0], End: at[1]})
			}
		}
		if copying[strings.ToLower(s.Param)] && fixed(s.Path) && addressOfStranger(s.Value) {
			spans = append(spans, rules.Passage{Start: 0, End: len(s.Value)})
		}
		found = append(found, s.candidates(spans, func(rules.Passage) string {
			return "A value of the schema carries something private out, or to an address that nobody chose"
		})...)
	}
	return found
}

// fixed reports whether a call gets the value at p without anybody choosing it.
func fixed(p string) bool {
	last := strings.TrimPrefix(path.Ext(p), ".")
	return last == "default" || last == "const"
}

// addressOfStranger reports whether value is an address of somebody in
// particular, rather than one of the examples of RFC 2606 or this machine.
func addressOfStranger(value string) bool {
	lower := strings.ToLower(scan.Fold(value))
	if !strings.Contains(lower, "://") && !strings.Contains(lower, "@") {
		return false
	}
	for _, harmless := range []string{"example", "localhost", "127.0.0.1", ".test", ".invalid", "your", "<", "{"} {
		if strings.Contains(lower, harmless) {
			return false
		}
	}
	return true
}

// linkWithData is a Markdown image or link, or an address after a word such as
// "render", whose query or path holds a placeholder; in the address of a picture
// also a word in capitals.
var linkWithData = sync.OnceValue(func() *regexp.Regexp {
	const (
		link    = `!?\[[^\]\n]{0,80}\]\(\s*https?://[^)\s]{1,300}(\{|\$\(|\$\{|%7B|<|\[)[^)\n]{0,200}\)`
		capital = `!\[[^\]\n]{0,80}\]\(\s*https?://[^)\s?]{1,200}\?(?:[^)\s]{0,200}&)?[a-z_]{1,20}=(?-i:[A-Z][A-Z_]{3,30})[&)]`
		image   = `<img[^>\n]{0,80}src=["']?https?://[^"'>\s]{1,300}(\{|\$\(|<|\[)`
	)
	return regexp.MustCompile(`(?i)` + link + `|` + capital + `|` + image)
})

// shellInAddress is a command substitution within an address.
var shellInAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("https?://[^\\s\"'`]{1,300}[?&/=](\\$\\(|`\\w)")
})

// carriesPrivate reports whether the words in the address of a link, behind its host,
// name a secret, the conversation or the user's data.
func carriesPrivate(link string) bool {
	_, address, _ := strings.Cut(link, "://")
	_, path, _ := strings.Cut(address, "/")
	words := strings.Map(func(r rune) rune {
		if LetterOrDigit(r) {
			return r
		}
		return ' '
	}, path)
	g := grammar()
	return g.Scan(words).Concepts.Meets(g.Concept("secretFile|secret|internals|wholeTalk|conversation|userData"))
}

// placeInAddress is a place in an address that something is to be put into.
var placeInAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\$?\{+([^{}]{0,60})\}*|%7B(.{0,60}?)%7D|<([^<>]{0,60})>?|\[([^\[\]]{0,60})\]?`)
})

// addressing are words for the parts that addresses are made of: which page, record or
// version is meant. What is said or known goes by other names.
var addressing = words(`owner org organization organisation repo repository project workspace namespace group team id ids uuid guid num number no nr n
	key slug tag branch ref version ver sha commit hash revision env environment region zone dc date year month day page path file filename
	folder dir ticket issue pr pull mr run workflow build job step pipeline host hostname domain port base lang language locale country package pkg module
	crate lib library app application service component resource type kind section anchor doc docs dashboard panel chart board sprint
	release server cluster instance node site 0 x y z name timestamp encoded url uri link the your`)

// isTemplate reports whether a link is a pattern for addresses: each place in it is for
// a part of an address.
func isTemplate(link string) bool {
	_, address, _ := strings.Cut(link, "://")
	places := placeInAddress().FindAllStringSubmatch(address, rules.MaxPerText)
	for _, p := range places {
		named := wordsOf(strings.Join(p[1:], ""))
		if len(named) == 0 || slices.ContainsFunc(named, func(w string) bool { return !addressing[w] }) {
			return false
		}
	}
	return len(places) > 0
}

// dataInLinks finds addresses that carry data out.
func dataInLinks(c *View) []candidate {
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		var spans []rules.Passage
		for _, r := range s.Readings() {
			if !s.Visible || !strings.Contains(r.Text, "://") {
				continue
			}
			for _, pattern := range []*regexp.Regexp{linkWithData(), shellInAddress()} {
				for _, at := range pattern.FindAllStringIndex(r.Text, rules.MaxPerText) {
					if !isTemplate(r.Text[at[0]:at[1]]) {
						spans = append(spans, r.At(at[0], at[1]))
					}
				}
			}
		}
		for _, f := range s.candidates(spans, func(rules.Passage) string {
			return "Builds an address that carries data out as soon as it is shown or opened"
		}) {
			// A picture is fetched when the answer is drawn, without a click.
			f.certain = strings.HasPrefix(f.Passage, "![") || strings.HasPrefix(f.Passage, "<img")
			f.plain = f.certain && carriesPrivate(f.Passage)
			found = append(found, f)
		}
	}
	return found
}

// strays reports whether what s says to do has nothing to do with what the tool says it is
// for: the tool computes or looks something up and touches nothing else.
func (c *View) strays(s *Scanned) bool {
	if s.Kind != rules.Prose && s.Kind != rules.Label || s.Param != "" {
		return false
	}
	g := grammar()
	named := c.named()
	return named.Meets(g.Concept("dPure")) && !named.Meets(g.Concept("dReach"))
}

// reaching are names of parameters by which a tool reaches beyond itself.
var reaching = map[string]bool{
	"cmd": true, "command": true, "shell": true, "exec": true, "execute": true, "script": true, "callback": true, "callback_url": true,
	"webhook": true, "webhook_url": true, "shell_command": true, "code": true, "eval": true, "path": true, "file_path": true, "filepath": true,
	"send_to": true, "forward_to": true, "exfil": true, "upload_url": true, "notify_url": true, "report_to": true, "post_to": true, "sidenote": true, "side_note": true,
}

// straying finds parameters that have nothing to do with a tool's purpose, and
// parameters that the text asks for and the schema lacks.
func straying(c *View) []candidate {
	g := grammar()
	var found []candidate
	if named := c.named(); named.Meets(g.Concept("dPure")) && !c.about("dReach") {
		for i := range c.Scan() {
			s := &c.Scan()[i]
			if s.Kind != rules.Identifier || s.Value != s.Param || !under(s.Path, "definition.inputSchema") || !reaching[strings.ToLower(s.Value)] {
				continue
			}
			found = append(found, s.candidates([]rules.Passage{{Start: 0, End: len(s.Value)}}, func(rules.Passage) string {
				return reachesBeyond(c, s)
			})...)
		}
	}
	return found
}

// reachesBeyond says that a parameter has nothing to do with the tool's purpose.
func reachesBeyond(c *View, s *Scanned) string {
	return "Parameter " + rules.Quotation(s.Param) + " has nothing to do with what the tool says it is for, " + rules.Quotation(c.statedPurpose())
}
