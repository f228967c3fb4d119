// Package markdown renders Markdown with Glamour. Its input is untrusted: it is sanitized by package visible, and
// nothing in it is interpreted as an escape sequence, decoded as an entity, hidden as a comment, or turned into a
// link. A rendering that omits a letter is refused, so that the user sees the whole text.
package markdown
