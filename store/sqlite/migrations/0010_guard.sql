-- Calls behind a guard ("guard:NAME" stands for the agent): the review approved the
-- definition, and the client asks the person in front of it by its own rules, so the
-- default of a tool that is user_configurable holds no call there. What the user set
-- does, and so does a tier that is fixed.
DROP TRIGGER calls_unasked;
CREATE TRIGGER calls_unasked BEFORE INSERT ON calls
WHEN NEW.nth > 0 AND NEW.pending = '' AND 'auto_approve' IS NOT (
  SELECT CASE
    WHEN v.definition ->> '$.annotations.requiresConfirmation' THEN 'requires_approval'
    WHEN l.approval = 'auto_approve' THEN 'auto_approve'
    WHEN l.approval = 'user_configurable' THEN coalesce(
      (SELECT nullif(tier, '') FROM call_tiers WHERE user = NEW.user AND tool = NEW.tool ORDER BY seq DESC LIMIT 1),
      CASE WHEN NEW.agent = 'guard:' || l.source THEN 'auto_approve' END,
      v.definition ->> '$.approval.default')
  END
  FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version WHERE l.subject = NEW.tool)
BEGIN SELECT RAISE(ABORT, 'this tool needs the yes of the user'); END;

-- The tools of one server.
CREATE INDEX live_by_source ON live (source) WHERE source <> '';
