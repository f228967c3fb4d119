-- The core lock. It follows the seed, which writes the core tools; from here on no
-- statement touches them, in any layer, under any name.
CREATE TRIGGER core_update BEFORE INSERT OR UPDATE OR DELETE ON core FOR EACH ROW EXECUTE FUNCTION refuse('core tools are locked');
CREATE TRIGGER core_truncate BEFORE TRUNCATE ON core FOR EACH STATEMENT EXECUTE FUNCTION refuse('core tools are locked');
CREATE TRIGGER live_locked_insert BEFORE INSERT ON live FOR EACH ROW WHEN (NEW.locked = 1) EXECUTE FUNCTION refuse('core tools are locked');
CREATE TRIGGER live_locked_update BEFORE UPDATE ON live FOR EACH ROW WHEN (OLD.locked = 1 OR NEW.locked = 1) EXECUTE FUNCTION refuse('core tools are locked');

-- check_core refuses a tool whose id, which is in the column that the argument
-- names, is one of the core's.
CREATE FUNCTION check_core() RETURNS trigger LANGUAGE plpgsql SET search_path = toolcrib, pg_temp
AS $$
DECLARE
  taken text[];
BEGIN
  CASE TG_ARGV[0]
    WHEN 'id' THEN taken := ARRAY[NEW.id];
    WHEN 'subject_id' THEN taken := ARRAY[NEW.subject_id];
    WHEN 'name' THEN
      IF TG_OP <> 'DELETE' THEN taken := ARRAY[NEW.name]; END IF;
      IF TG_OP <> 'INSERT' THEN taken := taken || OLD.name; END IF;
  END CASE;
  IF EXISTS (SELECT 1 FROM core WHERE id = ANY (taken)) THEN
    RAISE EXCEPTION 'core tools are locked' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER live_core BEFORE INSERT OR UPDATE ON live FOR EACH ROW WHEN (NEW.kind = 'tool') EXECUTE FUNCTION check_core('id');
CREATE TRIGGER versions_core_insert BEFORE INSERT ON versions FOR EACH ROW WHEN (NEW.kind = 'tool') EXECUTE FUNCTION check_core('id');
CREATE TRIGGER proposals_core_insert BEFORE INSERT ON proposals FOR EACH ROW WHEN (NEW.kind = 'tool') EXECUTE FUNCTION check_core('subject_id');
CREATE TRIGGER names_core BEFORE INSERT OR UPDATE OR DELETE ON names FOR EACH ROW EXECUTE FUNCTION check_core('name');
