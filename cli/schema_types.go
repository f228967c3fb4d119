package cli

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

// documentTypes returns the type of each document that is printed, by its kind.
func documentTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"agent.list": reflect.TypeFor[docAgentList](), "assessment": reflect.TypeFor[docReview](), "backup": reflect.TypeFor[docBackup](),
		"behaviour": reflect.TypeFor[docBehaviour](), "blame": reflect.TypeFor[docBlame](), "call": reflect.TypeFor[docCall](),
		"call.list": reflect.TypeFor[docAuditList](), "change_set": reflect.TypeFor[docChangeSet](), "checkpoint": reflect.TypeFor[docCheckpoint](),
		"checkpoint.key": reflect.TypeFor[docCheckpointKey](), "checkpoint.proof": reflect.TypeFor[docProof](),
		"checkpoint.published": reflect.TypeFor[docPublication](), "comment": reflect.TypeFor[docCommentMade](), "config": reflect.TypeFor[docConfig](),
		"decision": reflect.TypeFor[docDecisionList](), "demo": reflect.TypeFor[docDemo](), "diff": reflect.TypeFor[docDiff](),
		"diff.list": reflect.TypeFor[docDiffList](), "doctor": reflect.TypeFor[docDoctor](), "drift": reflect.TypeFor[docDrift](),
		"error": reflect.TypeFor[docError](), "event.list": reflect.TypeFor[docEventList](), "export": reflect.TypeFor[docExport](),
		"findings": reflect.TypeFor[docFindings](), "import": reflect.TypeFor[docImport](), "init": reflect.TypeFor[docInit](),
		"list.list": reflect.TypeFor[docListList](), "migrate": reflect.TypeFor[docMigrate](), "migration": reflect.TypeFor[docMigration](), "parsed": reflect.TypeFor[docParsed](),
		"pending": reflect.TypeFor[docPendingOne](), "pending.list": reflect.TypeFor[docPendingList](), "preview": reflect.TypeFor[docOnePreview](),
		"preview.list": reflect.TypeFor[docPreviewList](), "policy.list": reflect.TypeFor[docPolicyList](),
		"policy.test": reflect.TypeFor[docPolicyTest](), "proposal": reflect.TypeFor[docDossier](), "proposal.list": reflect.TypeFor[docProposalList](),
		"resolution": reflect.TypeFor[docResolution](), "rule.list": reflect.TypeFor[docRuleList](), "schema": reflect.TypeFor[docSchema](),
		"schema.list": reflect.TypeFor[docSchemaList](), "signature": reflect.TypeFor[docSignature](), "signers": reflect.TypeFor[docSigners](),
		"tier.list": reflect.TypeFor[docTierList](), "token": reflect.TypeFor[docTokenOne](), "token.list": reflect.TypeFor[docTokenList](),
		"tool.list": reflect.TypeFor[docToolList](), "trust.list": reflect.TypeFor[docTrustList](), "unwrap": reflect.TypeFor[docWrap](),
		"version": reflect.TypeFor[docVersionInfo](), "version.list": reflect.TypeFor[docVersionList](), "waiver": reflect.TypeFor[docWaiverMade](),
		"wrap": reflect.TypeFor[docWrap](),
	}
}

// plainSchemas are the schemas of types whose JSON is not that of their fields.
func plainSchemas() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():    {},
		reflect.TypeFor[registry.Subject]():   {Type: "string"},
		reflect.TypeFor[registry.AllowList](): {Types: []string{"string", "array", "object"}},
		reflect.TypeFor[proposals.Actor]():    {Type: "string"},
		reflect.TypeFor[proposals.Type]():     enum(proposals.Types()...),
		reflect.TypeFor[proposals.Expect]():   enum(proposals.ExpectPass, proposals.ExpectFail),
	}
}

// proposalSchema is the schema of proposal files. Nothing is required: a draft may
// be incomplete, and submitting it reports missing parts.
func proposalSchema() (*jsonschema.Schema, error) {
	t, types := proposals.FileType(), plainSchemas()
	subject, _ := t.FieldByName("Subject")
	definition, _ := t.FieldByName("Definition")
	types[subject.Type] = &jsonschema.Schema{Type: "string", Description: `such as "tool:user/pacer"`}
	types[definition.Type] = &jsonschema.Schema{Type: "object", Description: "the tool, agent or list as it is to be"}
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
}

// configSchema is the schema of the configuration. An unknown key is an error.
func configSchema() *jsonschema.Schema {
	s := tomlSchema(reflect.TypeFor[config]())
	s.Title = "The configuration of toolcrib"
	return s
}

func tomlSchema(t reflect.Type) *jsonschema.Schema {
	if t == reflect.TypeFor[rules.Severity]() {
		return enum(rules.Block, rules.Warn, rules.Info, rules.Off)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return tomlSchema(t.Elem())
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: tomlSchema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: tomlSchema(t.Elem())}
	case reflect.Struct:
		s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
		for _, f := range reflect.VisibleFields(t) {
			if key := f.Tag.Get("toml"); key != "" {
				s.Properties[key] = tomlSchema(f.Type)
			}
		}
		return s
	default:
		return &jsonschema.Schema{Type: "integer"}
	}
}
