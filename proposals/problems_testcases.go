package proposals

import (
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

func (c *template) testCases(d Draft) {
	if n := len(d.TestCases); n < MinTestCases || n > MaxTestCases {
		c.add(RuleTestCases, "testCases", "expected %[2]d or %[3]d test cases (got %[1]d)", n, MinTestCases, MaxTestCases)
	}
	first := map[string]int{}
	for i, tc := range d.TestCases {
		path := jsondoc.Index("testCases", i)
		c.testCase(path, tc)
		if blank(tc.Name) {
			continue
		}
		if j, ok := first[foldKey(tc.Name)]; ok {
			c.add(RuleTestCases, jsondoc.Join(path, "name"), "duplicates the name of %s; names distinguish results", jsondoc.Index("testCases", j))
			continue
		}
		first[foldKey(tc.Name)] = i
	}
	if len(d.TestCases) == 0 {
		return
	}
	for _, e := range []Expect{ExpectPass, ExpectFail} {
		if !slices.ContainsFunc(d.TestCases, func(tc TestCase) bool { return tc.Expect == e }) {
			c.add(RulePassAndFail, "testCases", "expected at least one test case that should pass and one that should fail; none should %s", e)
		}
	}
}

func (c *template) testCase(path string, tc TestCase) {
	name := jsondoc.Join(path, "name")
	switch {
	case blank(tc.Name):
		c.add(RuleTestCases, name, "missing; expected the purpose of the test case in a few words")
	case strings.ContainsAny(tc.Name, "\r\n"):
		c.add(RuleTestCases, name, "must be a single line of a few words")
	default:
		c.length(RuleTestCases, name, tc.Name, MaxTestCaseName)
	}
	if blank(tc.Input) {
		c.add(RuleTestCases, jsondoc.Join(path, "input"), "missing; expected the input of the model")
	}
	switch tc.Expect {
	case ExpectPass, ExpectFail:
	case "":
		c.add(RuleTestCases, jsondoc.Join(path, "expect"), "missing; expected pass or fail")
	default:
		c.add(RuleTestCases, jsondoc.Join(path, "expect"), "expected pass or fail; got %s", jsondoc.Quote(string(tc.Expect)))
	}
	checks := jsondoc.Join(path, "checks")
	switch n := len(tc.Checks); {
	case n == 0:
		c.add(RuleTestCases, checks, "missing; expected at least one check on the answer")
	case n > MaxChecks:
		c.add(RuleTestCases, checks, "must not have more than %[2]d checks (got %[1]d)", n, MaxChecks)
		return
	}
	for i, check := range tc.Checks {
		c.check(jsondoc.Index(checks, i), check)
	}
}

// check checks a check completely, because a draft need not come from a file.
func (c *template) check(path string, check Check) {
	value := jsondoc.Join(path, "value")
	i := slices.IndexFunc(checkTypes, func(known checkType) bool { return known.name == check.Type })
	switch {
	case check.Type == "":
		c.add(RuleTestCases, jsondoc.Join(path, "type"), "missing; expected one of %s", list(CheckTypes()))
		return
	case i < 0:
		c.add(RuleTestCases, jsondoc.Join(path, "type"), "expected one of %s; got %s", list(CheckTypes()), jsondoc.Quote(string(check.Type)))
		return
	}
	if len(check.Value) == 0 {
		if needs := checkTypes[i].needs; needs != "" {
			c.add(RuleTestCases, value, "missing; a %s check needs %s", check.Type, needs)
		}
		return
	}
	n, err := jsondoc.Parse(check.Value, limits)
	if err != nil {
		c.add(RuleTestCases, value, "is not valid JSON")
		return
	}
	if message := valueProblem(check.Type, n); message != "" {
		c.add(RuleTestCases, value, "%s", message)
	}
}
