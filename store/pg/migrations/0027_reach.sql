-- proposal_rules also has the kinds of facts that a proposal adds to the reach of its
-- subject, as 'reach:KIND'.
CREATE OR REPLACE FUNCTION list_rules() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = toolcrib, pg_temp
AS $$
BEGIN
  DELETE FROM proposal_rules WHERE proposal = (SELECT seq FROM proposals WHERE id = NEW.proposal);
  INSERT INTO proposal_rules (rule, proposal)
  SELECT DISTINCT f.rule, p.seq FROM proposals p,
    (SELECT json_extract(value, '$.rule') AS rule FROM json_each(NEW.report, '$.findings')
     UNION ALL SELECT 'reach:' || value FROM json_each(NEW.report, '$.reach')) f
  WHERE p.id = NEW.proposal AND p.revision = NEW.revision;
  RETURN NULL;
END $$;
