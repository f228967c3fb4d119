package workbench

// What the dialogue knows of commands, for a test that walks all of them.
var (
	BesideID  = besideID
	Confirmed = confirmed
	Endless   = endless
)
