package conform

// Rule is a kind of disagreement.
type Rule struct {
	ID, Name, Severity, Doc, Suggestion string
}

// Rules returns every rule by id.
func Rules() []Rule {
	return []Rule{missingInRegistry, retiredInUse, deactivatedInUse, definitionDiffers, missingInCode, aliasInUse, noTier, deadTier, tierDiffers, unknownTier, missingTier, pinDiffers}
}

// The rules.
var (
	missingInRegistry = Rule{"K101", "missing-in-registry", "block", "The code registers a tool that the registry does not know. Nobody has reviewed its definition.", "Import or propose the tool, or remove it from the code."}
	retiredInUse      = Rule{"K102", "retired-in-use", "block", "The code registers a tool under a retired name.", "Register the successor instead."}
	deactivatedInUse  = Rule{"K103", "deactivated-in-use", "block", "The code registers a deactivated tool.", "Remove the tool from the code, or propose to reactivate it."}
	definitionDiffers = Rule{"K104", "definition-differs", "block", "The code registers a definition of a tool that differs from the approved one.", "Load the approved definition with `toolcrib export`, or import that of the code as a proposal."}
	missingInCode     = Rule{"K105", "missing-in-code", "warn", "The code does not register an active tool of the registry, so agents see a tool that they cannot call.", "Register the tool, or propose to deactivate it."}
	aliasInUse        = Rule{"K106", "alias-in-use", "warn", "The code registers a tool under an alias, but prompts and exports call it by its wire name.", "Register the tool under its wire name."}
	noTier            = Rule{"K107", "no-approval-tier", "warn", "A tool has no explicit approval tier, so it asks before every call. This is safe, but may not be intended.", "Propose an approval tier."}
	deadTier          = Rule{"K108", "dead-tier-entry", "warn", "The code sets an approval tier for a name that is not a tool, so the tier has no effect.", "Remove the entry, or set the tier of the tool that replaced this one."}
	tierDiffers       = Rule{"K109", "tier-differs", "block", "The code sets an approval tier that differs from the approved one. If the code is less strict, calls run without the approval that a decision requires, and the rule blocks. If the code is stricter, the rule warns.", "Set the approved tier, or propose another one."}
	unknownTier       = Rule{"K110", "unknown-tier", "block", "The code sets an approval tier that does not exist. toolcrib cannot know whether its calls ask.", "Use auto_approve, requires_approval, or user_configurable."}
	missingTier       = Rule{"K111", "missing-tier", "warn", "The code sets approval tiers for some tools, but none for this one. Whether its calls ask depends on how the code treats tools without a tier.", "Set the approved tier."}
	pinDiffers        = Rule{"K112", "pin-differs", "block", "The JSON that a server sends for a tool differs from the approved JSON, in keys that a definition does not contain. Clients may show these keys, and toolcrib refuses calls of the tool.", "Import the server's list and review the change."}
)
