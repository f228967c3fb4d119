-- The lock of the live registry and the core, and versions and the approvals that
-- they count.

-- check live: Its lock is wrong; exactly the core tools must be locked.
SELECT subject FROM live WHERE locked <> CASE WHEN kind = 'tool' AND layer = 'global' AND id IN (SELECT id FROM core) THEN 1 ELSE 0 END;

-- check versions: An approval that this version relies on is not recorded.
-- The decisions that approvals name are there; ids are in no other text.
SELECT v.subject || ' version ' || v.number FROM versions v WHERE v.approvals <> ''
  AND length(v.approvals) - length(replace(v.approvals, '"decision":', '')) <> 11 * (SELECT count(*) FROM decisions d
    WHERE d.proposal = v.proposal AND d.revision = v.revision AND d.verdict = 'endorsed' AND replace(v.approvals, d.id, '') <> v.approvals);
