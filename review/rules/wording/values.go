package wording

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

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
