-- These checks compare proposals and issues, which are not sealed, with the last revision, the last
-- assessment, the decisions, and the log.

-- check proposals: Its state and its decisions do not agree.
SELECT p.id FROM proposals p WHERE (p.state = 'approved') <> EXISTS (SELECT 1 FROM decisions d
  WHERE d.proposal = p.id AND d.verdict = 'approved' AND d.revision = p.revision AND d.content_hash = p.content_hash);

-- check proposals: It does not match its revisions.
SELECT p.id FROM proposals p WHERE NOT EXISTS (SELECT 1 FROM revisions r
  WHERE r.proposal = p.id AND r.number = p.revision AND r.content_hash = p.content_hash)
  OR p.revision <> (SELECT max(number) FROM revisions WHERE proposal = p.id)
  OR NOT EXISTS (SELECT 1 FROM revisions WHERE proposal = p.id AND number = 1 AND author = p.author AND created_at = p.created_at);

-- check proposals: Its values in the queue do not match its last assessment.
-- Carried findings do not count. If the proposal has waivers, the Go code counts the blocking
-- findings instead of the query. Most reports have no findings and need not be parsed. The search for
-- "findings":[] cannot match a JSON string, because the quotes in a string are escaped.
SELECT q.id FROM (SELECT p.*, EXISTS (SELECT 1 FROM waivers w WHERE w.proposal = p.id) AS waived, coalesce((SELECT a.seq FROM assessments a
  WHERE a.proposal = p.id AND a.revision = p.revision ORDER BY a.seq DESC LIMIT 1), 0) AS last FROM proposals p) q
LEFT JOIN assessments a ON a.seq = q.last
WHERE q.recommendation <> coalesce(a.recommendation, '')
OR NOT q.waived AND q.waived_until <> ''
OR CASE WHEN a.report IS NULL OR instr(a.report, '"findings":[]') > 0
  THEN q.findings <> 0 OR q.worst <> '' OR NOT q.waived AND (q.blocks <> 0 OR q.warns <> 0)
  ELSE q.findings <> (SELECT count(*) FROM json_each(a.report, '$.findings') f WHERE json_extract(value, '$.carried') IS NULL)
  OR q.worst <> coalesce((SELECT json_extract(value, '$.severity') FROM json_each(a.report, '$.findings') f WHERE json_extract(value, '$.carried') IS NULL
    ORDER BY CASE json_extract(value, '$.severity') WHEN 'block' THEN 1 WHEN 'warn' THEN 2 ELSE 3 END LIMIT 1), '')
  OR NOT q.waived AND (q.blocks <> (SELECT count(*) FROM json_each(a.report, '$.findings') f WHERE json_extract(value, '$.severity') = 'block' AND json_extract(value, '$.carried') IS NULL)
    OR q.warns <> (SELECT count(*) FROM json_each(a.report, '$.findings') f WHERE json_extract(value, '$.severity') = 'warn' AND json_extract(value, '$.carried') IS NULL))
  END;

-- check proposals: Its state, or the time of the last change of state, does not match the log.
-- The last act that sets a state determines the state. After a revision, a submitted proposal
-- is in chief_review. A waiver does not change the state user_review.
SELECT p.id FROM proposals p WHERE p.state || ' ' || p.updated_at IS DISTINCT FROM (
  SELECT CASE e.act WHEN 'draft' THEN 'draft' WHEN 'submit' THEN 'chief_review' WHEN 'assess' THEN 'user_review' WHEN 'waive' THEN 'user_review' WHEN 'unwaive' THEN 'user_review' WHEN 'endorse' THEN 'user_review'
    WHEN 'approve' THEN 'approved' WHEN 'needs-changes' THEN 'needs_changes' WHEN 'reject' THEN 'rejected' WHEN 'withdraw' THEN 'withdrawn'
    WHEN 'revise' THEN CASE WHEN p.issue > 0 THEN 'chief_review' ELSE 'draft' END END || ' ' || e.at
  FROM events e WHERE e.proposal = p.id AND e.proposal <> ''
  AND e.act IN ('draft', 'submit', 'assess', 'waive', 'unwaive', 'endorse', 'approve', 'needs-changes', 'reject', 'withdraw', 'revise')
  ORDER BY e.seq DESC LIMIT 1);

-- check proposals: Its position differs from the order in which proposals were drafted.
SELECT id FROM (SELECT p.id, r.seq AS written, lag(r.seq, 1, 0) OVER (ORDER BY p.seq) AS before
  FROM proposals p JOIN revisions r ON r.proposal = p.id AND r.number = 1) placed WHERE written <= before;

-- check proposals: Its issue does not match.
SELECT p.id FROM proposals p LEFT JOIN issues i ON i.proposal = p.id WHERE p.issue <> coalesce(i.number, 0);

-- check issues: Its status or its assignee does not match the state of its proposal.
SELECT '#' || i.number FROM issues i LEFT JOIN proposals p ON p.id = i.proposal
  WHERE p.id IS NULL OR i.status <> CASE WHEN p.state IN ('approved', 'rejected', 'withdrawn') THEN 'closed' ELSE 'open' END
  OR i.assignee <> CASE p.state WHEN 'chief_review' THEN 'chief' WHEN 'user_review' THEN 'user' WHEN 'needs_changes' THEN p.author ELSE '' END;

-- check issues: Its title or its labels do not match the submission.
-- The query checks only issues that were revised after the submission. The Go code checks all other issues.
SELECT '#' || i.number FROM issues i JOIN proposals p ON p.id = i.proposal
  LEFT JOIN events e ON e.proposal = p.id AND e.proposal <> '' AND e.act = 'submit'
  LEFT JOIN revisions r ON r.proposal = p.id AND r.number = e.revision
  WHERE e.revision IS DISTINCT FROM p.revision AND (i.title IS DISTINCT FROM '[' || upper(substr(p.kind, 1, 1)) || substr(p.kind, 2) || ' Proposal] ' || coalesce(nullif(json_extract(r.draft, CASE WHEN p.kind IN ('skill', 'instructions') THEN '$.definition.path' ELSE '$.definition.name' END), ''), p.subject_id)
  OR i.labels IS DISTINCT FROM p.kind || '-proposal
' || json_extract(r.draft, '$.type') || '
' || p.layer || coalesce('
set:' || (json_extract(r.draft, '$.changeSet')), ''));

-- check proposal_rules: The filter index for rules and reach does not match its last assessment.
-- Reports without findings and without reach are not parsed.
WITH last AS MATERIALIZED (SELECT p.id, p.seq, (SELECT a.seq FROM assessments a
  WHERE a.proposal = p.id AND a.revision = p.revision ORDER BY a.seq DESC LIMIT 1) AS assessment FROM proposals p),
want AS (SELECT DISTINCT l.seq, json_extract(f.value, '$.rule') AS rule FROM last l JOIN assessments a ON a.seq = l.assessment,
  json_each(a.report, '$.findings') f WHERE instr(a.report, '"findings":[]') = 0
  UNION SELECT l.seq, 'reach:' || f.value FROM last l JOIN assessments a ON a.seq = l.assessment,
  json_each(a.report, '$.reach') f WHERE instr(a.report, '"reach":[') > 0)
SELECT 'row ' || coalesce(w.seq, r.proposal) FROM want w FULL JOIN proposal_rules r ON r.proposal = w.seq AND r.rule = w.rule
WHERE w.seq IS NULL OR r.proposal IS NULL;

-- check counters: The counter does not match the number of proposals.
SELECT coalesce(c.state, k.state) FROM (SELECT state, count(*) AS n FROM proposals GROUP BY state) c
  FULL JOIN counters k ON k.state = c.state WHERE coalesce(c.n, 0) <> coalesce(k.n, 0);
