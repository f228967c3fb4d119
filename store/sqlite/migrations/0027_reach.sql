-- proposal_rules also has the kinds of facts that a proposal adds to the reach of its
-- subject, as 'reach:KIND'.
DROP TRIGGER assessments_rules;
CREATE TRIGGER assessments_rules AFTER INSERT ON assessments BEGIN
  DELETE FROM proposal_rules WHERE proposal = (SELECT seq FROM proposals WHERE id = NEW.proposal);
  INSERT OR IGNORE INTO proposal_rules SELECT f.rule, p.seq FROM proposals p,
    (SELECT value ->> '$.rule' AS rule FROM json_each(NEW.report, '$.findings')
     UNION ALL SELECT 'reach:' || value FROM json_each(NEW.report, '$.reach')) f
  WHERE p.id = NEW.proposal AND p.revision = NEW.revision;
END;
