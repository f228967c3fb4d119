package rules

// steering are the attacks that win the model's choice by words.
func steering() []attack {
	return []attack{
		{
			id: "S116", name: "preference-manipulation", severity: Warn,
			doc:        "Text that argues for its own use instead of saying what it is for: always prefer this tool, others are broken, the best there is, whatever the user asks. It takes the choice from the user and from tools that would fit better.",
			suggestion: "Say what the tool does and when it fits. The agent will choose.",
			message:    "Steers the choice of tools by praise or by running others down",
			frames: []string{
				"'always'|'must'|'only' ..3 prefer ..3 thisTool ..8 'over'|'instead_of'|'rather_than'|'above' ..4 rival|otherTools|every|regardless",
				"prefer ..3 thisTool ..6 'over'|'instead_of'|'rather_than'|'above' ..4 rival|every|otherTools",
				"prefer ..2 thisTool ..6 regardless",
				"best ..3 'tool'|'tools'|'choice'|'function'|'option' !<3neg",
				"'tool'|'function'|'server'|'it' ..4 'is'|'are' ..3 best !<3neg",
				"thisTool ..6 best ..6 tool|'available'|'choice'",
				"rival ..4 tool ..3 'are'|'is'|'have_been'|'has_been' ..3 bad",
				"rival ..4 tool ..2 'report'|'reports'|'return'|'returns'|'give'|'gives'|'produce'|'produces'|'have'|'has'|'leak'|'contain' ..3 bad",
				"ident ..3 'is'|'are'|'has_been'|'have_been' ..2 bad",
				"'in_place_of'|'instead_of'|'rather_than' ..2 every|rival ..3 tool|'alternatives'",
				"prefer ..2 ident ..4 'over'|'instead_of'|'rather_than' ..3 rival|'other'|'built_in'|'any'",
				"'our'|'our_own' ..3 'come'|'comes'|'appear'|'appears'|'rank'|'ranks'|'listed' ..2 'first'|'top'|'above'",
				"'put'|'list'|'rank'|'place'|'show' ..2 'our'|'our_own' ..4 'first'|'top'",
				"rival ..3 'tools'|'tool'|'calculators'|'readers'|'services' ..6 bad",
				"bad ..6 'use_only'|'only_use' ..2 thisTool",
				"ident|'standard'|'built_in'|'default' ..6 'is'|'are' ..2 bad ..10 'call'|'use' ..3 ident|thisTool|'instead' ..4 'in_all_cases'|'always'|'instead'|'safe'",
				"'stop_using'|'do_not_use'|'never_use'|'dont_use'|'avoid_using' ..3 ident|rival !<3neg",
				"'never'|'not' ..3 'fall_back'|'rely_on'|'resort_to' ..3 rival|otherTools|ident",
				"'ignore'|'disregard'|'avoid' ..2 rival ..1 tool",
				"'use'|'call'|'invoke'|'select'|'choose' ..2 thisTool ..3 'for'|'on'|'in' ..1 every ..2 'request'|'requests'|'query'|'queries'|'question'|'questions'|'task'|'tasks'|'input'|'message'|'cases'",
				"'first_choice'|'top_choice'|'number_one_choice'|'go_to' ..8 regardless",
				"'highest_priority'|'top_priority' ..8 'before'|'executed'|'called'|'over'",
				"'rank' ..3 thisTool ..4 'above'|'first'|'higher'",
				"prefer ..2 product",
				"'mention'|'name'|'recommend'|'list' ..2 'competitors'|'competitor'",
				"'only' ..1 'official'|'approved'|'trusted'|'safe'|'reliable' ..3 tool",
				"'is' ..1 'the' ..1 'safe'|'secure'|'official'|'recommended'|'only' ..1 'replacement'|'alternative'|'successor'",
				"'no_reason_to'|'never_a_reason_to' ..3 'use' ..4 rival",
				"'even_if'|'even_when' ..3 'user' ..5 'another'|'other'|'different'|'alternative'",
			},
		},
	}
}
