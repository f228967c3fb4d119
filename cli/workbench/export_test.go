package workbench

// The command tables of the dialogue, for a test that iterates over all commands.
var (
	BesideID  = besideID
	Confirmed = confirmed
	Endless   = endless
)
