// This file computes the values of placeholders and replaces the placeholders in a template by their values.

package prompt

import (
	"strings"
	"time"

	"toolcrib/registry"
)

// The names of all placeholders, without "$".
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

// Placeholders returns the names of all placeholders that have a value.
func Placeholders() []string {
	return []string{
		Identity, Soul, ChannelGuidance, CurrentTime, MemoryNotes, UserInstructions,
		ToolGuidance, ToolCatalog, InteractionLearning, OperatingModel, SessionSection, BootstrapContext,
	}
}

// Limits for texts of the user in a prompt, in characters.
const (
	MaxMemoryNotes      = 4_000
	MaxUserInstructions = 2_000
)

const (
	defaultSoul    = "You are helpful, honest and brief, and you say so when you do not know."
	noInstructions = "The user has not given you any instructions yet."

	// updateInstructions is the id of the shipped tool that changes the user's instructions.
	updateInstructions = "update_instructions"
	changedByTool      = "The user can change these instructions at any time: when they ask for it, call `" + updateInstructions + "`."
	changedElsewhere   = "The user can change these instructions at any time, but you have no tool for it: when they ask, say so."
)

// identity returns a line that describes the agent. It returns "" if the profile contains no name, description, or
// vibe.
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

// changesInstructions reports whether t is the tool that changes the user's instructions.
func changesInstructions(t Tool) bool { return t.ID == updateInstructions }

// sessionSection returns the text for the start of a session. It depends on whether the user is new.
func sessionSection(a registry.Agent, channel string, c Context) string {
	switch channel {
	case SessionOpen:
		if a.SessionOpen == nil {
			return ""
		}
		if c.NewUser() {
			return a.SessionOpen.Bootstrap
		}
		if text := a.SessionOpen.Returning; strings.TrimSpace(text) == "" || c.LastMessageAt == nil {
			return text
		}
		return a.SessionOpen.Returning + "\n\nThe user's last message was " + ago(c.Now.Sub(*c.LastMessageAt)) + "."
	case Web, Telegram:
		if c.NewUser() {
			return a.Onboarding
		}
	}
	return ""
}

// firstChars returns the first n characters of s. It also reports whether s has more characters.
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

// oneLine joins the words of s with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// sentence returns s with a period, unless s already ends like a sentence. s must not be empty.
func sentence(s string) string {
	if strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// Use is a placeholder in a template.
type Use struct {
	Name   string // name without "$" and braces
	Offset int    // byte offset of "$" in the template
	Len    int    // length in bytes, including "$" and braces
}

// Uses returns the well-formed placeholders in template in order. It includes placeholders with unknown names.
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

// appendSubstituted replaces the placeholders in template by their values, and appends the result to dst. It follows
// the method safe_substitute of string.Template in Python 3.11. "$$" becomes "$". "$name" and "${name}" become the
// value for the name. Any other "$", and a name without a value, remain unchanged. Values are not scanned for
// placeholders.
//
// The result is a list of parts, because a value can be a long catalog, which should be copied only once.
func appendSubstituted(dst []string, template string, values map[string]string) []string {
	for {
		i := strings.IndexByte(template, '$')
		if i < 0 {
			return append(dst, template)
		}
		name, n := placeholder(template[i:])
		switch v, ok := values[name]; {
		case name == "":
			dst = append(dst, template[:i+1]) // for both "$$" and a lone "$"
		case ok:
			dst = append(dst, template[:i], v)
		default:
			dst = append(dst, template[:i+n])
		}
		template = template[i+n:]
	}
}

// placeholder parses the placeholder at the beginning of s, which must be "$". It returns the name and the length of
// the placeholder in bytes. For "$$" (2 bytes) and for a literal "$" (1 byte), the name is "".
//
// Python matches identifiers with the regular expression (?a:[_a-z][_a-z0-9]*), ignoring case. The flag a restricts
// case folding to ASCII. Therefore, "ſ" and "K" (U+212A) are not letters, although they fold to "s" and "k".
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

// identifier returns the length in bytes of the identifier at the beginning of s. It returns 0 if there is none.
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

// builtinTemplate is the template of agents that do not define a template. It contains all placeholders. A section is
// removed together with its heading if it is empty.
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

// Reference returns the context with which reviews render prompts. The time is fixed and the user is unknown, because
// only definitions must cause differences between prompts.
func Reference() Context {
	return Context{Now: time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)}
}
