-- Calls behind a guard ("guard:NAME" stands for the agent): the review approved the
-- definition, and the client asks the person in front of it by its own rules, so the
-- default of a tool that is user_configurable holds no call there. What the user set
-- does, and so does a tier that is fixed.
CREATE OR REPLACE FUNCTION check_call() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
DECLARE
  tier text;
BEGIN
  SELECT CASE
    WHEN json_extract(v.definition, '$.annotations.requiresConfirmation') = 'true' THEN 'requires_approval'
    WHEN l.approval = 'auto_approve' THEN 'auto_approve'
    WHEN l.approval = 'user_configurable' THEN coalesce(
      (SELECT nullif(t.tier, '') FROM call_tiers t WHERE t."user" = NEW."user" AND t.tool = NEW.tool ORDER BY t.seq DESC LIMIT 1),
      CASE WHEN NEW.agent = 'guard:' || l.source THEN 'auto_approve' END,
      json_extract(v.definition, '$.approval.default'))
    ELSE ''
  END INTO tier
  FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version
  WHERE l.subject = NEW.tool AND l.version = NEW.version AND l.content_hash = NEW.content_hash AND l.status = 'active' AND l.tool_kind = 'action';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'only what is approved and in force can be called' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF NEW.pending = '' AND tier IS DISTINCT FROM 'auto_approve' THEN
    RAISE EXCEPTION 'this tool needs the yes of the user' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF NEW.pending <> '' AND NOT EXISTS (SELECT 1 FROM call_answers a JOIN pending_calls p ON p.id = a.pending
    WHERE a.pending = NEW.pending AND a.approved = 1 AND a.call = NEW.id
    AND p.tool = NEW.tool AND p.version = NEW.version AND p.content_hash = NEW.content_hash) THEN
    RAISE EXCEPTION 'the user did not approve this call' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;

-- The tools of one server.
CREATE INDEX live_by_source ON live (source) WHERE source <> '';
