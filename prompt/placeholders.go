package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/registry"
)

// The placeholders of a template, without their "$".
const (
	Identity            = "identity"
	Soul                = "soul"
	ChannelGuidance     = "channel_guidance"
	CurrentTime         = "current_time"
	MemoryNotes         = "memory_notes"
	UserInstructions    = "user_instructions"
	ToolGuidance        = "tool_guidance"
	ToolCatalog         = "tool_catalog"
	InteractionLearning = "interaction_learning"
	OperatingModel      = "operating_model"
	SessionSection      = "session_section"
	BootstrapContext    = "bootstrap_context"
)

// Placeholders returns the name of every placeholder that has a content.
func Placeholders() []string {
	return []string{
		Identity, Soul, ChannelGuidance, CurrentTime, MemoryNotes, UserInstructions,
		ToolGuidance, ToolCatalog, InteractionLearning, OperatingModel, SessionSection, BootstrapContext,
	}
}

// Limits of a user's data in a prompt, in characters (code points).
const (
	MaxMemoryNotes      = 4_000
	MaxUserInstructions = 2_000
)

const (
	defaultSoul    = "You are helpful, honest and brief, and you say so when you do not know."
	noInstructions = "The user has not given you any instructions yet."

	// updateInstructions is the shipped tool that changes a user's instructions.
	updateInstructions = "update_instructions"
	changedByTool      = "The user can change these instructions at any time: when they ask for it, call `" + updateInstructions + "`."
	changedElsewhere   = "The user can change these instructions at any time, but you have no tool for it: when they ask, say so."
)

// identity is one line on who the agent is, "" when its profile does not say.
func identity(a registry.Agent) string {
	name, description, vibe := oneLine(a.Name), oneLine(a.Description), oneLine(a.Vibe)
	var parts []string
	switch {
	case name != "" && description != "":
		parts = append(parts, "You are "+name+": "+sentence(description))
	case name != "":
		parts = append(parts, "You are "+sentence(name))
	case description != "":
		parts = append(parts, sentence(description))
	}
	if vibe != "" {
		parts = append(parts, "Your vibe: "+sentence(vibe))
	}
	return strings.Join(parts, " ")
}

func soul(a registry.Agent) string {
	if strings.TrimSpace(a.Soul) == "" {
		return defaultSoul
	}
	return a.Soul
}

func memoryNotes(notes string) string {
	notes, _ = firstChars(notes, MaxMemoryNotes)
	return notes
}

// userInstructions are the user's own words and how they are changed.
func userInstructions(text string, tools []Tool) string {
	change := changedElsewhere
	if slices.ContainsFunc(tools, changesInstructions) {
		change = changedByTool
	}
	if strings.TrimSpace(text) == "" {
		return noInstructions + "\n\n" + change
	}
	kept, cut := firstChars(text, MaxUserInstructions)
	if cut {
		kept += fmt.Sprintf("\n\n(Cut here: only the first %d characters are shown.)", MaxUserInstructions)
	}
	return kept + "\n\n" + change
}

// changesInstructions reports whether t is the tool by which users change their
// instructions.
func changesInstructions(t Tool) bool { return t.ID == updateInstructions }

// toolGuidance returns the tools' notes on a channel, one item of a list each,
// in the order of tools.
func toolGuidance(tools []Tool, channel string) string {
	var b strings.Builder
	for _, t := range tools {
		text := strings.TrimSpace(t.Guidance[channel])
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- ")
		b.WriteString(strings.ReplaceAll(text, "\n", "\n  ")) // stays one item
	}
	return b.String()
}

func interactionLearning(a registry.Agent, channel string) string {
	switch channel {
	case Web, Telegram:
		return a.InteractionLearning
	}
	return ""
}

func operatingModel(a registry.Agent, channel string) string {
	switch channel {
	case Web, Telegram, SessionOpen:
		return a.OperatingModel
	}
	return ""
}

// sessionSection greets: it tells a new user from one who comes back.
func sessionSection(a registry.Agent, channel string, c Context) string {
	switch channel {
	case SessionOpen:
		if a.SessionOpen == nil {
			return ""
		}
		if c.NewUser() {
			return a.SessionOpen.Bootstrap
		}
		return returning(a.SessionOpen.Returning, c)
	case Web, Telegram:
		if c.NewUser() {
			return a.Onboarding
		}
	}
	return ""
}

func returning(text string, c Context) string {
	if strings.TrimSpace(text) == "" || c.LastMessageAt == nil {
		return text
	}
	return text + "\n\nThe user's last message was " + ago(c.Now.Sub(*c.LastMessageAt)) + "."
}

// firstChars returns the first n characters of s and whether there are more.
func firstChars(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// oneLine joins the words of s by single spaces.
func oneLine(s string) string {
	if isOneLine(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// isOneLine reports whether s is ASCII and its words are joined by single spaces
// already, as those of most names are.
func isOneLine(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return s == "" || before != ' '
}

// sentence ends s with a full stop unless it ends one already.
func sentence(s string) string {
	if strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// A Use is one placeholder in a template.
type Use struct {
	Name   string // without "$" and braces
	Offset int    // of its "$", in bytes
	Len    int    // in bytes, with "$" and braces
}

// Uses returns the well-formed placeholders of a template in their order,
// whether or not anything of that name exists.
func Uses(template string) []Use {
	var uses []Use
	for at := 0; ; {
		i := strings.IndexByte(template[at:], '$')
		if i < 0 {
			return uses
		}
		at += i
		name, n := placeholder(template[at:])
		if name != "" {
			uses = append(uses, Use{Name: name, Offset: at, Len: n})
		}
		at += n
	}
}

// appendSubstituted appends the parts of template to dst, with its placeholders
// replaced as the safe_substitute method of string.Template in Python 3.11
// does: "$$" becomes "$", "$name" and "${name}" become the value of that name,
// and every other "$", like a name without a value, stays as it is. Values are
// taken as they are and not scanned again.
//
// They are parts rather than one text because a value may be a whole catalog,
// which is copied only once when it is handed on as it is.
func appendSubstituted(dst []string, template string, values map[string]string) []string {
	for {
		i := strings.IndexByte(template, '$')
		if i < 0 {
			return append(dst, template)
		}
		name, n := placeholder(template[i:])
		switch v, ok := values[name]; {
		case name == "":
			dst = append(dst, template[:i+1]) // "$$" and a lone "$" alike
		case ok:
			dst = append(dst, template[:i], v)
		default:
			dst = append(dst, template[:i+n])
		}
		template = template[i+n:]
	}
}

// placeholder reads what begins with the "$" that s begins with, and returns
// how many bytes of s it is long. Without a name it is "$$", 2 bytes, or a "$"
// that means nothing, 1 byte.
//
// Python matches identifiers with (?a:[_a-z][_a-z0-9]*), ignoring case. The a
// holds for the folding of case too, so that "ſ" and "K" (U+212A), which fold
// to "s" and "k", are not letters here.
func placeholder(s string) (name string, n int) {
	switch {
	case strings.HasPrefix(s, "$$"):
		return "", 2
	case strings.HasPrefix(s, "${"):
		n := identifier(s[2:])
		if n == 0 || !strings.HasPrefix(s[2+n:], "}") {
			return "", 1
		}
		return s[2 : 2+n], n + 3
	}
	n = identifier(s[1:])
	return s[1 : 1+n], 1 + n
}

// identifier returns the length of the identifier at the start of s in bytes,
// 0 when there is none.
func identifier(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}

// builtinTemplate is the assembly for agents without a template of their own. It
// has every placeholder; an empty section vanishes with its heading.
const builtinTemplate = `## Who you are
$identity

## Soul
$soul

## Channel
$channel_guidance

## Current time
$current_time

## Session
$session_section

## Operating model
$operating_model

## The user's instructions
$user_instructions

## Memory notes
$memory_notes

## Context
$bootstrap_context

## Learning from the user
$interaction_learning

## Using your tools
$tool_guidance

## Your tools
$tool_catalog
`

// Reference returns the fixed context that a review renders prompts in, so
// that only the definitions change a prompt between two reviews: a
// fixed time and a user of whom nothing is known.
func Reference() Context {
	return Context{Now: time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)}
}
