-- A user can have every tool ask before each call; to have one run unasked is left
-- to the user only where the approved version is user_configurable.
DROP TRIGGER call_tiers_fit;
CREATE TRIGGER call_tiers_fit BEFORE INSERT ON call_tiers
WHEN NEW.tier = 'auto_approve' AND NOT EXISTS (SELECT 1 FROM live WHERE subject = NEW.tool AND approval IN ('auto_approve', 'user_configurable'))
BEGIN SELECT RAISE(ABORT, 'the user does not choose the tier of this tool'); END;
