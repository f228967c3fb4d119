package bundle

// Rule is a kind of fault.
type Rule struct {
	ID, Name   string
	Doc        string
	Suggestion string
}

const (
	brokenVersion = "B101"
	badSignature  = "B102"
	unknownKey    = "B103"
	revokedKey    = "B104"
	notShipped    = "B106"
	otherDatabase = "B107"
	tooFew        = "B109"
	contradiction = "B110"
	// Unsigned is the rule of an approval without a signature.
	Unsigned = "B105"
	// Unverified is the rule of a bundle whose signatures nobody checked.
	Unverified = "B108"
)

// Rules lists the kinds of faults. All of them block.
func Rules() []Rule {
	export := "Export the bundle again; if that does not help, run toolcrib verify on the database."
	return []Rule{
		{brokenVersion, "broken-version", "A version does not have the content or the place in its chain that its hash covers.", export},
		{badSignature, "bad-signature", "The signature of an approval is invalid, is missing from the bundle, or covers other content.", export},
		{unknownKey, "unknown-key", "The key that signed an approval is not one of its decider in the signers file, or was not valid then.", "Have a signer approve it, or correct the signers file that the check uses."},
		{revokedKey, "revoked-key", "The key that signed an approval is revoked, so nothing that it signed counts.", "Approve the version again with another key."},
		{Unsigned, "unsigned-version", "An approval is not signed, so nothing proves who made it.", "Approve the version again, signed; or accept unsigned versions with --allow-unsigned."},
		{notShipped, "not-shipped", "A version that claims to ship with toolcrib is not one that this toolcrib ships.", "Use the toolcrib release that exported the bundle."},
		{otherDatabase, "other-database", "The bundle is of another database than expected.", "Correct --database, or export from the right database."},
		{tooFew, "missing-approvals", "Fewer owners signed the approval of a version than the policy of the configuration asks for.", "Have the missing owners approve the version again."},
		{contradiction, "contradiction", "A statement, a layer, a time, or a state of the signers does not fit the rest of the bundle: something was changed or left out.", export},
		{Unverified, "unverified", "Nobody's signature was checked, because the check was given no signers file: whoever can write the file could have written any of it.", "Pass --signers FILE; or accept the bundle without signatures with --allow-unsigned."},
	}
}
