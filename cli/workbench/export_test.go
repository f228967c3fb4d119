package workbench

// The command tables of the dialogue, for a test that iterates over all commands.
var (
	BesideID  = extraArgs
	Confirmed = confirmed
	Endless   = endless
)
