-- A user can have every tool ask before each call; to have one run unasked is left
-- to the user only where the approved version is user_configurable.
CREATE OR REPLACE FUNCTION check_tier() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM live WHERE subject = NEW.tool AND approval IN ('auto_approve', 'user_configurable')) THEN
    RAISE EXCEPTION 'the user does not choose the tier of this tool' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER call_tiers_fit ON call_tiers;
CREATE TRIGGER call_tiers_fit BEFORE INSERT ON call_tiers FOR EACH ROW WHEN (NEW.tier = 'auto_approve') EXECUTE FUNCTION check_tier();
