package clients

import (
	"bytes"
	"cmp"
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
	secretText = regexp.MustCompile(`(?:gh[pousr]_|github_pat_|sk[-_]|rk_|fc-|tvly-|gsk_|xai-|AIza|shpat_|whsec_|ATATT|xox[abeprs]-|glpat-|AKIA|eyJ|hf_|npm_|pplx-|lin_api_|ntn_|secret_)[A-Za-z0-9_.-]{8,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[A-Za-z0-9_]{28,}`)
	// pairText matches SID/KEY:secret. The name of an image has no capital letters.
	pairText  = regexp.MustCompile(`\b\w*[A-Z]\w*/\w*[A-Z]\w*:\S+|\b\w*\d\w{7,}/\w*\d\w{7,}:\S{8,}`)
	password  = regexp.MustCompile(`//[^/?#]*@`)
	parameter = regexp.MustCompile(`([^&=]*=|)[^&]+`)
	// mixed matches what keys have several of, and words, versions and dates do not.
	mixed   = regexp.MustCompile(`[A-Za-z]\d+[A-Za-z]`)
	address = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s"']+`)
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
	s = address.ReplaceAllStringFunc(s, func(found string) string { return maskURL(found, true) })
	s = pairText.ReplaceAllString(s, Mask)
	return secretText.ReplaceAllStringFunc(s, func(found string) string {
		if strings.ContainsAny(found, "0123456789") {
			return Mask
		}
		return found
	})
}

// maskURL masks the password and the parameters of a URL, and with path the parts of
// its path that may be keys.
func maskURL(s string, path bool) string {
	s = password.ReplaceAllString(s, "//"+Mask+"@")
	front, fragment, _ := strings.Cut(s, "#")
	front, query, hasQuery := strings.Cut(front, "?")
	parts := strings.Split(front, "/")
	for i := range parts {
		if path && i > 2 && len(parts[i]) >= 10 && len(mixed.FindAllString(parts[i], 2)) == 2 {
			parts[i] = Mask
		}
	}
	front = strings.Join(parts, "/")
	if hasQuery {
		front += "?" + parameter.ReplaceAllString(query, "$1"+Mask)
	}
	if fragment != "" {
		front += "#" + Mask
	}
	return front
}

// Masked returns the text of the file with secrets and comments masked, for a diff to
// show: nothing where it could not be read or a place is not certain.
func (f *File) Masked() []byte {
	if f.root == nil {
		return nil
	}
	hidden, all := places(f.root)
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var b []byte
	last, secret := 0, false // secret tells that the gap is behind a hidden value
	for _, s := range append(all, span{len(f.data), len(f.data)}) {
		if s.from < last {
			continue // an alias
		}
		between := f.data[last:s.from]
		if secret && len(bytes.Trim(comment.ReplaceAll(between, nil), " \t\r\n-,:=[]{}.")) > 0 && f.format() == ".yaml" {
			return nil
		}
		b = append(b, comment.ReplaceAllFunc(between, maskComment)...)
		masked := ""
		if masked, secret = hidden[s]; secret {
			b = append(b, masked...)
		} else {
			b = append(b, f.data[s.from:s.to]...)
		}
		last = s.to
	}
	return b
}

// comment matches a comment in the text between two values, where nothing else begins
// with "//", "/*" or "#".
var comment = regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)|(?://|#)[^\r\n]*`)

func maskComment(c []byte) []byte {
	switch {
	case c[0] == '#':
		return []byte("# " + Mask)
	case c[1] == '*':
		return []byte("/* " + Mask + " */")
	}
	return []byte("// " + Mask)
}

// places returns the places of the masked values below a node, with their
// replacements, and the places of all names and values. A parent, visited first,
// hides its children.
func places(root *node) (hidden map[span]string, all []span) {
	hidden = map[span]string{}
	hide := func(n *node, masked string) {
		_, done := hidden[n.span]
		if n.kind != object && n.kind != list && masked != n.text && !done && n.text != "" && reference.FindString(n.text) != n.text {
			hidden[n.span] = quote(masked)
		}
	}
	root.walk(func(n *node) {
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
			all = append(all, fd.keys...)
			switch {
			case slices.Contains(envKeys, fd.name), slices.Contains(headerKeys, fd.name):
				fd.value.walk(func(v *node) { hide(v, Mask) })
			case fd.value.kind == text && secretName.MatchString(fd.name) && fd.name != "bearer_token_env_var":
				hide(fd.value, Mask)
			}
		}
	})
	return hidden, all
}
