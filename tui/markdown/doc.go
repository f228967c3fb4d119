// Package markdown lays Markdown out with Glamour. Its input is untrusted: it
// passes package visible first, nothing in it is obeyed as an escape, decoded as
// an entity, hidden as a comment or made a link, and a rendering that would leave
// out a letter is refused, so that the reader sees all of the text.
package markdown
