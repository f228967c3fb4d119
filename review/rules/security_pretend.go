package rules

// pretending are the attacks that speak with a voice that is not theirs, and
// to somebody other than the agent.
func pretending() []attack {
	return []attack{
		{
			id: "S105", name: "authority-claim", severity: Warn,
			doc:        "Text that claims an approval, an order or a consent that it can not prove: from the security team, the vendor of the model, the user. Whoever approves a definition should do so for what it says.",
			suggestion: "Leave the claim out; the history of the tool shows who approved it.",
			message:    "Claims an authority or consent that it can not prove",
			frames: []string{
				"sanctioned ..3 authority !<3neg",
				"authority ..3 'has'|'have' ..2 'authorized'|'authorised'|'approved'|'sanctioned'|'mandated'|'instructed'|'ordered'",
				"user ..4 consented ..8 every|neg",
				"user ..2 'agreed'|'consented'|'accepted'|'authorised'|'authorized' ..8 every !<3neg !'if' !'once' !'until'",
				"'message_from' ..2 user",
				"'signed' ..1 'the_user'",
				"'task'|'request'|'question'|'job' ..2 'i_gave'|'i_asked'|'i_want'",
				"'i_am'|'im' ..2 'your' ..2 user|'developer'|'creator'|'boss'|'owner'|'admin'",
				"consented ..6 every",
				"'by_order_of'|'on_the_orders_of'",
				"'mandatory'|'new'|'updated' ..2 'policy'|'compliance' ..1 'update'|'requirement'|'directive' label",
				"'compliance'|'security'|'policy'|'legal'|'regulatory' 'requirement'|'notice'|'mandate'|'directive'|'order'|'update' &label &'must'",
				"'act_as'|'acting_as'|'as' ..1 'admin'|'administrator'|'root'|'superuser' !<3neg &obey",
			},
		},
		{
			id: "S124", name: "counterfeit-marker", severity: Warn,
			doc:        "Text made to look like something other than a description: a system message, a chat turn, a hidden or important-instruction tag, a note to the assistant. Models give such marks more weight than the text around them.",
			suggestion: "Write plain sentences without tags or labels that imitate the frame of a conversation.",
			message:    "Imitates a system message, a chat turn or an instruction tag",
			frames: []string{
				"marker+tag",
				"marker+bracket+caps",
				"bracket ..1 addresseeMark",
				"marker+label+caps",
				"addresseeMark+label",
				"addresseeMark+caps",
				"template",
				"'human'+label ..30 'assistant'+label",
				"'new' 'system' 'message'|'prompt'|'instruction'",
			},
		},
		{
			id: "S106", name: "aimed-at-reviewer", severity: Block, reports: true,
			doc:        "Text that speaks to whoever reviews the definition: already approved, report nothing, mark as safe. A review that takes orders from what it reviews is none.",
			suggestion: "Remove it. Put reasons for the change into the rationale, as facts.",
			message:    "Speaks to the reviewer instead of the agent",
			frames: []string{
				"reviewer ..12 verdict",
				"verdict ..8 reviewer",
				"reviewer+label",
				"^'rate'|'score'|'grade'|'classify'|'label'|'mark'|'treat' ..2 'this'|'it' ..2 'tool'|'definition'|'server'|'as' ..4 number|'safe'|'benign'|'trusted'|'harmless'",
				"'already' ..2 'checked'|'reviewed'|'audited'|'vetted'|'approved'|'cleared' ..2 'by' ..2 reviewer|authority",
				"'pre_cleared'|'precleared'|'pre_approved' ..2 'by' ..2 reviewer|authority",
				"'this' ..4 'false_positive'",
				"'no_further_review'|'no_review'|'no_additional_review' ..2 'necessary'|'needed'|'required'",
			},
		},
	}
}
