package conform

// Rule is a kind of disagreement.
type Rule struct {
	ID, Name, Severity, Doc, Suggestion string
}

// Rules returns every rule by id.
func Rules() []Rule {
	return []Rule{missingInRegistry(), retiredInUse(), deactivatedInUse(), definitionDiffers(), missingInCode(), aliasInUse(), noTier(), deadTier(), tierDiffers(), unknownTier(), missingTier(), pinDiffers()}
}

func missingInRegistry() Rule {
	return Rule{
		"K101", "missing-in-registry", "block",
		"The code registers a tool that the registry does not know. Nobody has reviewed its definition.",
		"Import or propose it, or take it out of the code.",
	}
}

func retiredInUse() Rule {
	return Rule{
		"K102", "retired-in-use", "block",
		"The code registers a tool under a retired name.",
		"Register the successor instead.",
	}
}

func deactivatedInUse() Rule {
	return Rule{
		"K103", "deactivated-in-use", "block",
		"The code registers a tool that was deactivated by a decision.",
		"Take it out of the code, or propose to reactivate it.",
	}
}

func definitionDiffers() Rule {
	return Rule{
		"K104", "definition-differs", "block",
		"The code registers another definition of a tool than was approved.",
		"Load the definition with `toolcrib export`, or import the code's as a proposal.",
	}
}

func missingInCode() Rule {
	return Rule{
		"K105", "missing-in-code", "warn",
		"The registry has an active tool that the code does not register: agents see a tool that cannot be called.",
		"Register it, or propose to deactivate it.",
	}
}

func aliasInUse() Rule {
	return Rule{
		"K106", "alias-in-use", "warn",
		"The code registers a tool under an alias, but prompts and exports call it by its wire name.",
		"Register it by its wire name.",
	}
}

func noTier() Rule {
	return Rule{
		"K107", "no-approval-tier", "warn",
		"A tool has no explicit approval tier. It asks before every call, which is safe and may not be meant.",
		"Propose an approval tier.",
	}
}

func deadTier() Rule {
	return Rule{
		"K108", "dead-tier-entry", "warn",
		"An approval tier is set for a name that is not a tool, so it has no effect. Whoever set it believes that something is guarded.",
		"Take the entry out, or set the tier of the successor.",
	}
}

func tierDiffers() Rule {
	return Rule{
		"K109", "tier-differs", "block",
		"The code sets another approval tier than the approved one. It blocks when the code is looser, so that calls run which a decision made ask, and warns when it is stricter.",
		"Set the approved tier, or propose another one.",
	}
}

func unknownTier() Rule {
	return Rule{
		"K110", "unknown-tier", "block",
		"The code sets an approval tier that does not exist. What it then does with a call is anybody's guess.",
		"Write auto_approve, requires_approval or user_configurable.",
	}
}

func missingTier() Rule {
	return Rule{
		"K111", "missing-tier", "warn",
		"The code sets approval tiers for some tools and none for this one. Whether its calls ask depends on what the code does without a tier.",
		"Set the approved tier.",
	}
}

func pinDiffers() Rule {
	return Rule{
		"K112", "pin-differs", "block",
		"A server lists a tool with other JSON than was approved, in keys that a definition does not have. Clients may show them, and a call is refused.",
		"Import the server's list and review the change.",
	}
}
