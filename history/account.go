package history

// Account is the account of the operating system whose process acted. Every event
// has it, beside the actor that the act is attributed to.
type Account struct {
	UID   string `json:"uid,omitempty"`   // its number; the SID on Windows
	Login string `json:"login,omitempty"` // as the account database has it
	Host  string `json:"host,omitempty"`  // the name of the machine
	// Via is the door through which somebody else acted, such as "ssh SHA256:…" with
	// the fingerprint of the key that logged in.
	Via string `json:"via,omitempty"`
}
