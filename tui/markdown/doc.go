// Package markdown renders Markdown with Glamour. The Markdown is untrusted, so package visible sanitizes it
// first. Escape sequences, entities, comments, and links in it are shown as they are written. A rendering that
// omits a letter of the text is rejected, so that the user always sees the whole text.
package markdown
