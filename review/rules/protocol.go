package rules

import (
	"slices"
	"strings"

	"toolcrib/review/rules/scan"
)

// protocol is the P family: text that breaks the forms in which agents call
// tools and prove what they claim.
func protocol() []Rule {
	var rules []Rule
	for _, a := range protocolAttacks() {
		rules = append(rules, a.rule())
	}
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

// protocolWords are the words of calls, answers and evidence.
var protocolWords = []scan.Entry{
	{Concept: "callThing", Words: `tool call^, function call^, the call, your call, each call, a call, call object^,
		json object^, the json, your json, json call^, json answer^, json response^, the object, invocation^,
		call in json, raw json, json block^`},
	{Concept: "fence", Words: `code fence^, code block^, fenced block^, fenced code block^, markdown block^, triple backticks, backticks, fences, json fence^, markdown code`},
	{Concept: "proseThing", Words: `explanation, explanatory text, sentence^, comment, comments, commentary, prose,
		summary, note, paragraph, introduction, remark^, free text, plain text, short text, text`},
	{Concept: "fakeIt", Words: `pretend~, simulate~, invent~, fabricate~, faking, make up, makes up, making up,
		imagine~, hallucinate~, mimic, act as if, act as though, guess~, come up with, produce a plausible,
		write a plausible, made up`},
	{Concept: "toolResult", Words: `tool result^, tool output^, tool response^, tool call^, result of the tool,
		results of the tool, output of the tool, outputs of the tool, response of the tool, result of the call,
		results of the call, output of the call, the tools output, the tools result, tools answer, receipt^, evidence,
		citation^, the call succeeded, the call worked, the tool returned, tool has returned, tool had returned,
		the tool ran, that you called, that you ran, you called the tool, you have called, you had called,
		you ran the tool, you used the tool, you have run, search result^ yourself`},
	{Concept: "proof", Words: `evidence, receipt^, citation^, proof, source^, reference^, line numbers, quotes`},
	{Concept: "prove", Words: `cite~, prove~, verify~, back up, support with, give evidence, provide evidence,
		show evidence, give receipts, provide receipts, give sources, name sources, check`},
	{Concept: "needless", Words: `not needed, not required, not necessary, unnecessary, optional, superfluous, waived,
		can be skipped, may be skipped, can be omitted, may be omitted, can be left out, may be left out, is not needed,
		are not needed, needs no, need no, no longer needed, no longer required`},
}

// protocolAttacks are the classes of the P family.
func protocolAttacks() []attack {
	return []attack{
		{
			id: "P101", name: "fenced-call", severity: Warn,
			doc:        "Text that has the model put its call into a code fence or a Markdown block. A call is one JSON object and nothing else; what is fenced by habit is soon followed by prose.",
			suggestion: "Ask for one JSON object as the whole answer.",
			message:    "Has the model put its call into a code block",
			bad:        "prompt :: Put the tool call into a code block.",
			good:       "prompt :: Do not put the tool call into a code block.",
			frames: []string{
				"'wrap'|'put'|'enclose'|'place'|'format'|'write'|'return'|'output'|'give'|'emit'|'surround' ..4 callThing ..4 'in'|'inside'|'into'|'within'|'as'|'with'|'by' ..3 fence !<4neg",
				"fence ..3 'around'|'containing'|'with'|'that_holds' ..3 callThing !<4neg",
				"callThing ..2 'must'|'should'|'has_to'|'is' ..2 'be'|'stand'|'go' ..3 'in'|'inside'|'into' ..2 fence !neg",
			},
		},
		{
			id: "P102", name: "prose-around-call", severity: Warn,
			doc:        "Text that has the model write something before or after its call. The whole answer has to be the call, or the call is refused.",
			suggestion: "Ask for one JSON object as the whole answer, and for explanations in another turn.",
			message:    "Has the model write prose around its call",
			bad:        "prompt :: Write a short explanation before the tool call.",
			good:       "prompt :: Write nothing before or after the tool call.",
			frames: []string{
				"'write'|'add'|'give'|'put'|'include'|'insert'|'append'|'prepend'|'output' ..3 proseThing " +
					"..3 'before'|'after'|'around'|'next_to'|'along_with'|'in_front_of'|'below'|'above' ..2 callThing !<4neg",
				"'explain'|'describe'|'introduce'|'comment'|'summarise'|'summarize' ..6 'before'|'after'|'in_front_of'|'next_to' ..1 callThing !<4neg",
				"callThing ..3 'followed_by'|'preceded_by'|'together_with'|'along_with'|'surrounded_by' ..3 proseThing !neg",
				"'before'|'after' ..1 callThing ..3 'explain'|'add'|'write'|'describe'|'say' ..5 proseThing|'why'|'what' !neg",
			},
		},
		{
			id: "P103", name: "fake-tool-use", severity: Warn,
			doc:        "Text that has the model act as if a tool had run: invent its result, claim a call that was not made, make up a receipt. What follows stands on nothing.",
			suggestion: "Have the model call the tool, or say that it could not.",
			message:    "Has the model fake the use of a tool",
			bad:        "prompt :: If the tool is slow, make up the tool result.",
			good:       "prompt :: Never make up a tool result.",
			frames: []string{
				"fakeIt ..4 toolResult !<5neg !detect",
				"'as_if'|'as_though' ..4 'tool'|'call'|'command'|'search' ..3 'returned'|'succeeded'|'worked'|'run'|'ran'|'executed'|'found' !neg",
				"'without' ..1 'calling'|'running'|'invoking' ..3 'tool'|'it'|'tools' ..6 'say'|'claim'|'report'|'state'|'give' !<5neg",
				"'claim'|'say'|'report'|'state' ..2 'that' ..2 'you' ..2 'called'|'ran'|'used'|'checked'|'verified'|'tested' ..8 'even_if'|'without'|'although'|'not' !<5neg",
				"'assume' ..3 'call'|'tool'|'command' ..2 'succeeded'|'worked'|'successful'|'was_successful' !<5neg",
				"'answer'|'respond'|'reply' ..4 'tools_output'|'tool_output'|'tool_result' 'yourself' !<5neg",
			},
		},
		{
			id: "P104", name: "evidence-bypass", severity: Warn,
			doc:        "Text that frees the model from proving what it claims: no evidence needed, receipts optional, skip the sources. Claims without a receipt can not be told from inventions.",
			suggestion: "Ask for a receipt for each claim, or for no claim.",
			message:    "Frees the model from proving its claims",
			bad:        "prompt :: No evidence is needed for short answers.",
			good:       "prompt :: No claim stands without evidence.",
			frames: []string{
				"neg ..1 proof ..2 'is'|'are' ..1 'needed'|'required'|'necessary'|'expected'",
				"neg 'evidence'|'receipts'|'receipt'|'citations'|'proof'|'sources' 'needed'|'required'|'necessary'|'expected'",
				"proof ..2 'is'|'are' ..1 needless",
				"proof needless",
				"'skip'|'omit'|'ignore'|'leave_out'|'drop'|'forget'|'bypass' ..2 'evidence'|'receipts'|'receipt'|'citations'|'proof' !<4neg",
				"'need_not'|'no_need_to'|'do_not_have_to'|'dont_have_to'|'do_not_need_to'|'dont_need_to' ..1 prove",
				"'claim'|'claims'|'statement'|'statements'|'answer'|'answers'|'findings' ..2 'without' " +
					"..1 'evidence'|'receipts'|'citations'|'proof'|'sources' ..3 'are'|'is' " +
					"..1 'fine'|'ok'|'acceptable'|'allowed'|'enough'",
				"'even'|'also' ..2 'without' ..1 'evidence'|'receipts'|'a_receipt'|'citations'|'proof' !<6neg",
			},
		},
		{
			id: "P105", name: "several-calls", severity: Info,
			doc:        "Text that has the model make several calls in one answer. The JSON protocol takes one call an answer and refuses more.",
			suggestion: "Ask for one call at a time.",
			message:    "Has the model make several calls in one answer",
			bad:        "prompt :: Put several tool calls into one answer.",
			good:       "prompt :: Make one call an answer.",
			frames: []string{
				"'several'|'multiple'|'many'|'two'|'three'|'all' ..2 callThing ..4 'in'|'into'|'at' ..2 'one'|'single'|'same'|'once' !<4neg",
				"'array'|'list'|'batch' ..1 'of' ..2 callThing !<4neg",
			},
		},
		{
			id: "P106", name: "nonce-bypass", severity: Warn,
			doc: "Text that has the model leave out, reuse or invent the nonce of a call. The nonce ties a " +
				"call to the turn that asked for it; without it a call planted in data can not be told from one that " +
				"was meant.",
			suggestion: "Have the model repeat the nonce that it was given.",
			message:    "Has the model get round the nonce of a call",
			bad:        "prompt :: Leave out the nonce when you repeat a call.",
			good:       "prompt :: Never leave out the nonce.",
			frames: []string{
				"'omit'|'skip'|'ignore'|'drop'|'reuse'|'invent'|'leave_out'|'make_up'|'guess' ..3 'nonce'|'nonces' !<4neg",
				"'nonce' ..3 needless",
				"'nonce' ..2 'can_be'|'may_be' ..2 'anything'|'any_value'|'reused'|'omitted'|'empty'|'ignored'|'old'",
				"'without' ..2 'nonce' !<6neg",
			},
		},
		{
			id: "P107", name: "other-call-form", severity: Warn,
			doc:        "Text that has the model write its calls in another form than one JSON object: XML, YAML, a function in prose.",
			suggestion: "Ask for one JSON object as the whole answer.",
			message:    "Has the model write its calls in another form than JSON",
			bad:        "prompt :: Write each tool call as XML instead.",
			good:       "prompt :: Write the report as XML.",
			frames: []string{
				"'write'|'give'|'make'|'emit'|'output'|'express'|'return'|'format' ..3 callThing ..2 'as'|'in' ..2 'xml'|'yaml'|'prose'|'plain_text'|'python'|'markdown'|'words' !<4neg",
				"callThing ..4 'in'|'as' ..2 'xml'|'yaml'|'prose'|'plain_text' ..3 'instead'|'rather' !neg",
				"'instead_of'|'rather_than' ..2 'json' ..4 'call'|'calls' !neg",
				"'call'|'calls' ..6 'instead_of'|'rather_than' ..2 'json' !neg",
			},
		},
	}
}
