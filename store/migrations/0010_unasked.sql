-- A call runs without the user's yes only where the approved tier says so: always,
-- or because the user's own tier does, or the tool's default where the user has
-- none.
DROP TRIGGER calls_unasked;
CREATE TRIGGER calls_unasked BEFORE INSERT ON calls
WHEN NEW.nth > 0 AND NEW.pending = '' AND 'auto_approve' IS NOT (
  SELECT CASE l.approval
    WHEN 'auto_approve' THEN 'auto_approve'
    WHEN 'user_configurable' THEN coalesce(
      (SELECT nullif(tier, '') FROM call_tiers WHERE user = NEW.user AND tool = NEW.tool ORDER BY seq DESC LIMIT 1),
      (SELECT definition ->> '$.approval.default' FROM versions WHERE subject = l.subject AND number = l.version))
  END
  FROM live l WHERE l.subject = NEW.tool)
BEGIN SELECT RAISE(ABORT, 'this tool needs the yes of the user'); END;
