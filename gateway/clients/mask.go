package clients

import (
	"bytes"
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Mask replaces a secret.
const Mask = "***"

var (
	// secretName matches names of options, variables, headers and parameters
	// whose values are secrets.
	secretName = regexp.MustCompile(`(?i)token|secret|passw|passphrase|api[-_]?key|apikey|access[-_]?key|private[-_]?key|(^|[-_])key$|auth|bearer|credential|cookie|session|signature|(^|[-_])(dsn|pat)$|header`)
	// secretText matches tokens by what their issuers put in front, and long
	// runs of letters and digits.
	secretText = regexp.MustCompile(`(?:gh[pousr]_|github_pat_|sk-|xox[abeprs]-|glpat-|AKIA|eyJ|hf_|npm_|pplx-|lin_api_|ntn_|secret_)[A-Za-z0-9_.-]{8,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[A-Za-z0-9_]{28,}`)
	address    = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s"']+`)
)

// Masked returns the server without its secrets: no value of a variable or a
// header, and no argument or part of the URL that may be one.
func (s Server) Masked() Server {
	s.Env, s.Headers = maskAll(s.Env), maskAll(s.Headers)
	s.Args = slices.Clone(s.Args)
	previous := ""
	for i, arg := range s.Args {
		s.Args[i] = maskArgument(previous, arg)
		previous = arg
	}
	s.Command, s.URL = maskText(s.Command), maskText(s.URL)
	return s
}

// maskAll masks every value: which variable is a secret is not for toolcrib to
// guess. A reference is none.
func maskAll(all []Variable) []Variable {
	all = slices.Clone(all)
	for i, v := range all {
		if v.Value != "" && reference.FindString(v.Value) != v.Value {
			all[i].Value = Mask
		}
	}
	return all
}

// maskArgument masks an argument that follows another.
func maskArgument(previous, arg string) string {
	if name, value, ok := strings.Cut(arg, "="); ok && value != "" && secretName.MatchString(name) {
		return name + "=" + Mask
	}
	if strings.HasPrefix(previous, "-") && !strings.Contains(previous, "=") && secretName.MatchString(strings.TrimLeft(previous, "-")) {
		if name, _, ok := strings.Cut(arg, ":"); ok && !strings.Contains(name, " ") {
			return name + ": " + Mask // a header
		}
		return Mask
	}
	return maskText(arg)
}

// maskText masks the tokens in a text, and what URLs carry of them.
func maskText(s string) string {
	s = address.ReplaceAllStringFunc(s, maskURL)
	return secretText.ReplaceAllStringFunc(s, func(found string) string {
		if strings.ContainsAny(found, "0123456789") {
			return Mask
		}
		return found
	})
}

// maskURL masks the password and the parameters of a URL.
func maskURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return Mask
	}
	front, fragment, hasFragment := strings.Cut(s, "#")
	front, query, hasQuery := strings.Cut(front, "?")
	if u.User != nil {
		scheme, rest, _ := strings.Cut(front, "://")
		_, host, _ := strings.Cut(rest, "@")
		front = scheme + "://" + Mask + "@" + host
	}
	if hasQuery {
		pairs := strings.Split(query, "&")
		for i, pair := range pairs {
			name, _, ok := strings.Cut(pair, "=")
			if pairs[i] = name + "=" + Mask; !ok {
				pairs[i] = Mask
			}
		}
		front += "?" + strings.Join(pairs, "&")
	}
	if hasFragment && fragment != "" {
		front += "#" + Mask
	}
	return front
}

// Masked returns the file with the secrets of its servers masked, and the
// comments between them, for a diff to show. What is outside the servers is as
// it is. Nothing of a file that could not be read is returned.
func (f *File) Masked() []byte {
	if f.root == nil {
		return nil
	}
	var after []byte
	last := 0
	for _, h := range slices.SortedFunc(slices.Values(f.held), func(a, b holder) int { return f.start(a) - f.start(b) }) {
		at, err := f.regions(h)
		if err != nil {
			return nil
		}
		hidden, shown := f.secrets(h)
		yaml := f.lines == nil && h.value.span == span{}
		for _, s := range at {
			if s.from < last {
				return nil
			}
			masked, ok := maskRegion(f.data, s, hidden, shown, yaml)
			if !ok {
				return nil
			}
			after = append(append(after, f.data[last:s.from]...), masked...)
			last = s.to
		}
	}
	return append(after, f.data[last:]...)
}

func (f *File) start(h holder) int {
	if at, err := f.regions(h); err == nil {
		return at[0].from
	}
	return 0
}

// secrets returns the places of the masked values below a holder, with their
// replacements, and the places of all names and values. A parent, visited first,
// hides its children.
func (f *File) secrets(h holder) (hidden map[span]string, all []span) {
	hidden = map[span]string{}
	hide := func(n *node, masked string) {
		_, done := hidden[n.span]
		if n.kind != object && n.kind != list && masked != n.text && !done && n.text != "" && reference.FindString(n.text) != n.text {
			hidden[n.span] = quote(masked)
		}
	}
	h.value.walk(func(n *node) {
		if n.kind != object && n.kind != list {
			all = append(all, n.span)
			hide(n, maskText(n.text))
		}
		previous := ""
		for _, item := range n.items {
			hide(item, maskArgument(previous, item.text))
			previous = item.text
		}
		for _, fd := range n.fields {
			if fd.span.to > 0 {
				all = append(all, fd.span)
			}
			switch fd.name {
			case "env", "environment", "headers", "http_headers":
				fd.value.walk(func(v *node) { hide(v, Mask) })
			default:
				if fd.value.kind == text && secretName.MatchString(fd.name) && fd.name != "bearer_token_env_var" {
					hide(fd.value, Mask)
				}
			}
		}
	})
	return hidden, all
}

// maskRegion returns a region with the hidden values replaced and the comments
// between names and values masked. The places of values are certain but for
// YAML: it reports false where something is left behind a hidden one.
func maskRegion(data []byte, region span, hidden map[span]string, all []span, yaml bool) ([]byte, bool) {
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var b []byte
	last := region.from
	secret := false // whether the gap is behind a hidden value
	gap := func(to int) bool {
		between := maskComments(data[last:to])
		b = append(b, between...)
		return !secret || !yaml || len(bytes.Trim(comment.ReplaceAll(between, nil), " \t\r\n-,:[]{}")) == 0
	}
	for _, s := range all {
		if s.from < last || s.to > region.to {
			continue
		}
		if !gap(s.from) {
			return nil, false
		}
		var masked string
		if masked, secret = hidden[s]; secret {
			b = append(b, masked...)
		} else {
			b = append(b, data[s.from:s.to]...)
		}
		last = s.to
	}
	return b, gap(region.to)
}

var comment = regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)|(?://|#)[^\r\n]*`)

// maskComments masks the comments in the text between two values, where nothing
// else begins with "//", "/*" or "#".
func maskComments(gap []byte) []byte {
	if !bytes.ContainsAny(gap, "#/") {
		return gap
	}
	return comment.ReplaceAllFunc(gap, func(c []byte) []byte {
		mark := c[:1]
		if c[0] == '/' {
			mark = c[:2]
		}
		if bytes.HasPrefix(c, []byte("/*")) {
			return []byte("/* " + Mask + " */")
		}
		return append(slices.Clone(mark), " "+Mask...)
	})
}
