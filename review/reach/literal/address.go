// This file recognizes hosts and addresses.

package literal

import (
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"

	"toolcrib/review/reach/fact"
)

// schemes are the URI schemes of addresses that programs fetch data from or send data to:
// https://www.iana.org/assignments/uri-schemes.
var schemes = map[string]bool{
	"http": true, "https": true, "ws": true, "wss": true, "ftp": true, "ftps": true, "sftp": true, "ssh": true, "git": true, "git+https": true,
	"git+ssh": true, "git+http": true, "s3": true, "gs": true, "ldap": true, "ldaps": true, "tcp": true, "udp": true, "redis": true, "rediss": true, "postgres": true,
	"postgresql": true, "mysql": true, "mongodb": true, "mongodb+srv": true, "amqp": true, "amqps": true, "smtp": true, "smb": true, "rsync": true,
}

// address adds the host of the URI in w. colon is the offset of the ":" after the scheme.
func (s *scanner) address(w word, colon int) {
	scheme := strings.ToLower(w.text[:colon])
	for i := len(scheme) - 1; i >= 0; i-- {
		if c := classes[scheme[i]]; c&(lower|digit|plus) == 0 {
			scheme = scheme[i+1:]
			break
		}
	}
	if !schemes[scheme] {
		return
	}
	rest := w.text[colon+3:]
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#\\"); i >= 0 {
		end = i
	}
	authority := rest[:end]
	if authority == "" && strings.HasPrefix(s.Text[w.end:], "[") { // an IPv6 address
		if i := strings.IndexByte(s.Text[w.end:min(len(s.Text), w.end+48)], ']'); i > 0 {
			authority = s.Text[w.end+1 : w.end+i]
		}
	} else {
		authority, _, _ = strings.Cut(authority[strings.LastIndexByte(authority, '@')+1:], ":")
	}
	host := strings.ToLower(strings.Trim(authority, ".*_&"))
	if scheme == "s3" || scheme == "gs" {
		if host != "" && !placeholder(host) && !strings.ContainsAny(host, "${}") {
			s.Add(w.start, fact.Out, s.use, scheme+"://"+host)
		}
		return
	}
	if w.end < len(s.Text) && (s.Text[w.end] == '<' || s.Text[w.end] == '{' || s.Text[w.end] == '[') && end == len(rest) && w.text[len(w.text)-1] == s.Text[w.end-1] {
		return // a placeholder follows
	}
	if i := strings.LastIndexAny(host, "}$"); i >= 0 { // a variable, possibly followed by a fixed domain
		if _, host, _ = strings.Cut(host[i+1:], "."); Outside(host) {
			s.Add(w.start, fact.Out, s.use, "*."+host)
		}
		return
	}
	if !Outside(host) {
		return
	}
	s.host(w.start, host)
	if scheme == "http" && !namespaces[host] {
		s.Add(w.start, fact.Out, fact.PlainHTTP, host)
	}
}

// namespaces are the hosts in the names of formats and licenses. Such names have the form of an
// address but serve as identifiers and are not fetched: https://www.w3.org/TR/xml-names/,
// https://json-schema.org/specification, https://spdx.org/licenses.
var namespaces = map[string]bool{
	"www.w3.org": true, "json-schema.org": true, "schema.org": true, "schemas.openxmlformats.org": true, "schemas.microsoft.com": true, "purl.org": true,
	"ns.adobe.com": true, "xmlns.com": true, "www.apple.com": true, "maven.apache.org": true, "www.sitemaps.org": true, "www.apache.org": true, "schemas.openid.net": true, "www.gnu.org": true, "json.schemastore.org": true,
}

// host adds the host or the mailbox of the address at the given offset.
func (s *scanner) host(offset int, host string) {
	switch {
	case namespaces[host] && s.use == fact.Literal:
	case s.mode == Prose && s.isLink(offset):
		s.Add(offset, fact.Link, fact.Literal, host)
	default:
		s.Add(offset, fact.Out, s.use, host)
	}
}

// maxLabel is the maximum number of bytes before an address that isLink examines.
const maxLabel = 200

// isLink reports whether the address at the given offset of Markdown or HTML is a link, or the only
// text on its line except for a label. In both cases, no sentence tells the agent to use the
// address.
func (s *scanner) isLink(offset int) bool {
	before := strings.TrimRight(s.Text[max(0, offset-maxLabel):offset], "\"'")
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if slices.ContainsFunc([]string{"](", "<", "href=", "src=", "]:", "]: "}, func(mark string) bool { return strings.HasSuffix(before, mark) }) {
		return true
	}
	after, _, _ := strings.Cut(s.Text[offset:min(len(s.Text), offset+2*maxLabel)], "\n")
	if strings.ContainsAny(strings.TrimSpace(after), " ") { // words follow
		return false
	}
	label := strings.Trim(before, " \t-*+#>|_`(")
	return label == "" || strings.HasSuffix(label, ":") && strings.Count(label, " ") < 4
}

// Outside reports whether host is a host name or an IP address on the Internet. A host name must
// have a public suffix or the suffix "example" (RFC 2606) and must not be a placeholder. An IP
// address must be public, or the metadata server of a cloud.
func Outside(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.String() == "169.254.169.254" || // the metadata server, which provides credentials to machines in a cloud
			!ip.IsPrivate() && !ip.IsLoopback() && !ip.IsUnspecified() && !ip.IsLinkLocalUnicast() && !ip.IsMulticast() && ip != netip.AddrFrom4([4]byte{255, 255, 255, 255})
	}
	if len(host) > 253 || placeholder(host) || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" && !strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false
	}
	dot := strings.LastIndexByte(host, '.')
	if dot <= 0 || strings.Contains(host, "..") {
		return false
	}
	switch host[dot+1:] {
	case "local", "localhost", "internal", "lan", "test", "invalid": // RFC 6761, RFC 6762
		return host == "metadata.google.internal"
	case "example":
		return true
	}
	_, icann := publicsuffix.PublicSuffix(host)
	if !icann { // a private suffix such as github.io ends with a public suffix
		_, icann = publicsuffix.PublicSuffix(host[dot+1:])
	}
	return icann
}

// placeholder reports whether host is a placeholder: a name that RFC 2606, section 3, reserves for
// examples, or a name such as your-domain.com.
func placeholder(host string) bool {
	if host == "example.com" || host == "example.org" || host == "example.net" || strings.HasSuffix(host, ".example.com") || strings.HasSuffix(host, ".example.org") || strings.HasSuffix(host, ".example.net") {
		return true
	}
	for label := range strings.SplitSeq(host, ".") {
		if strings.HasPrefix(label, "your") || strings.HasPrefix(label, "my-") || label == "yourdomain" || label == "mydomain" || label == "myapp" || label == "mysite" || label == "domain" || label == "xxx" || strings.HasPrefix(label, "xxxx") {
			return true
		}
	}
	return false
}

// generic are the top-level domains that programs rarely use as file extensions or as names of
// members: https://www.iana.org/domains/root/db.
var generic = map[string]bool{"com": true, "org": true, "edu": true, "gov": true, "example": true}

// bareHost adds the host in w if w is an address without a scheme. Dotted names in programs and
// file names have the same form as hosts. A host must therefore have a generic domain, begin with
// "www", or be followed by a path or a port.
func (s *scanner) bareHost(w word) {
	name, rest, hasPath := strings.Cut(w.text, "/")
	name, port, hasPort := strings.Cut(name, ":")
	if name == "" || classes[name[0]]&(lower|upper|digit) == 0 || strings.Contains(rest, "://") {
		return
	}
	dots := strings.Count(name, ".")
	host := strings.ToLower(name)
	tld := host[strings.LastIndexByte(host, '.')+1:]
	if dots == 0 || w.end < len(s.Text) && s.Text[w.end] == '(' || s.isPrecededBy(w.start, "/", "\\", "${", "{", "@", "$", "-") {
		return
	}
	dataHost := s.mode == Data && (hasPath && !FileExtension(name) || hasPort && port != "" && strings.Trim(port, "0123456789") == "")
	known := strings.HasPrefix(host, "www.") || generic[tld] && host == name || dots > 1 && generic[tld] || (tld == "net" || tld == "io" || tld == "dev" || tld == "ai" || tld == "cloud") && host == name && (dots > 1 && !hasPath || hasPath && s.mode == Prose)
	if (known || dataHost && s.use != fact.Literal) && Outside(host) {
		s.host(w.start, host)
	}
}

// FileExtension reports whether name ends with a usual file extension. Some file extensions are
// also top-level domains.
func FileExtension(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "md", "py", "rs", "sh", "pl", "so", "zip", "mov", "js", "ts", "cc", "ps", "mk", "lock", "toml", "json", "yaml", "yml", "txt", "html", "css", "go", "rb", "app", "git", "name", "id", "info":
		return true
	}
	return false
}

// isPrecededBy reports whether the text before the given offset ends with one of the given marks.
func (s *scanner) isPrecededBy(at int, marks ...string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.HasSuffix(s.Text[:at], m) })
}

// ip adds the public IPv4 address in w, unless it looks like a version number.
func (s *scanner) ip(w word) {
	host, _, _ := strings.Cut(w.text, "/")
	host, _, _ = strings.Cut(host, ":")
	if strings.Count(host, ".") != 3 || s.isPrecededBy(w.start, "=", "v", "^", "~", "@", "ersion ", ">", "<") {
		return
	}
	if _, err := netip.ParseAddr(host); err == nil && Outside(host) && !modes[w.text] {
		s.host(w.start, host)
	}
}

// mailbox adds the mailbox in w. If w is an address for scp(1) such as git@host:path, mailbox adds
// only the host.
func (s *scanner) mailbox(w word) {
	name := strings.TrimPrefix(w.text, "mailto:")
	if i := strings.LastIndexByte(name, '='); i >= 0 {
		name = name[i+1:]
	}
	i := strings.IndexByte(name, '@')
	host, path, scp := strings.Cut(strings.ToLower(name[i+1:]), ":")
	if i <= 0 || strings.Contains(host, "@") || !Outside(host) || FileExtension(host) || strings.ContainsAny(name[:i], "/$\\") {
		return
	}
	if scp && path != "" {
		s.host(w.start, host)
		return
	}
	s.host(w.start, strings.ToLower(name[:i])+"@"+host)
}
