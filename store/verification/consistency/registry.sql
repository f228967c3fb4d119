-- These checks compare the locks in the live registry with the core tools, and the approvals that
-- versions refer to with the recorded approvals.

-- check live: Its lock is wrong; exactly the core tools must be locked.
SELECT subject FROM live WHERE locked <> CASE WHEN kind = 'tool' AND layer = 'global' AND id IN (SELECT id FROM core) THEN 1 ELSE 0 END;

-- check versions: An approval that this version relies on is not recorded.
-- The decisions that the approvals of a version refer to must exist. No other text in the approvals contains ids.
SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.approvals <> ''
  AND length(v.approvals) - length(replace(v.approvals, '"decision":', '')) <> 11 * (SELECT count(*) FROM decisions d
    WHERE d.proposal = v.proposal AND d.revision = v.revision AND d.verdict = 'endorsed' AND replace(v.approvals, d.id, '') <> v.approvals);
