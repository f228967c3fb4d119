// Package markdown renders Markdown with Glamour. The Markdown is untrusted, so package visible first sanitizes
// it. Escape sequences, entities, comments, and links are shown as they are written. If a rendering omits a
// letter of the text, the package shows the text as it is written, so that the user always sees the whole text.
package markdown
