-- These checks compare the call log with the versions and with the users' answers. Each call must
-- have used an approved version and, if it was a pending call, must have the approval of a user.

-- check calls: The call used a version that was not approved.
SELECT 'call ' || c.seq FROM calls c WHERE c.nth > 0 AND NOT EXISTS (SELECT 1 FROM versions v
  WHERE v.subject = c.tool AND v.number = c.version AND v.content_hash = c.content_hash);

-- check calls: The call belongs to a pending call that the user did not approve.
SELECT 'call ' || c.seq FROM calls c WHERE c.nth > 0 AND c.pending <> '' AND NOT EXISTS (SELECT 1 FROM call_answers a
  WHERE a.pending = c.pending AND a.approved = 1 AND a.call = c.id);

-- check call_answers: The call that this answer started is missing.
-- Guarded calls are excluded, because they start only when the client repeats the call. Calls
-- that were moved to a file are excluded by the time of the answer.
SELECT 'answer ' || a.seq FROM call_answers a JOIN pending_calls p ON p.id = a.pending
  LEFT JOIN calls c ON c.id = a.call AND c.pending = a.pending AND c.tool = p.tool AND c.version = p.version
  WHERE a.approved = 1 AND c.id IS NULL AND substr(p.agent, 1, 6) <> 'guard:'
  AND a.answered_at >= coalesce((SELECT max(before) FROM call_prunes), '');

-- check call_answers: The answer does not match the pending call that was shown to the user.
SELECT 'answer ' || a.seq FROM call_answers a LEFT JOIN pending_calls p ON p.id = a.pending
  WHERE p.id IS NULL OR p.digest <> a.digest;

-- check calls_open: The list of calls without an outcome is wrong for this call.
SELECT 'call ' || c.seq FROM calls c LEFT JOIN call_outcomes o ON o.call = c.id LEFT JOIN calls_open n ON n.seq = c.seq
  WHERE (o.call IS NULL) <> (n.seq IS NOT NULL)
  UNION ALL SELECT 'call ' || n.seq FROM calls_open n WHERE NOT EXISTS (SELECT 1 FROM calls c WHERE c.seq = n.seq);

-- check call_refusals: Its count of refused calls differs from the calls that were recorded as refused.
SELECT coalesce(r.agent, c.agent) || ' ' || coalesce(r."user", c."user") || ' ' || coalesce(r.hour, c.hour) FROM call_refusals r
  FULL JOIN (SELECT agent, "user", substr(at, 1, 13) AS hour, count(*) AS n FROM calls WHERE nth = 0 GROUP BY 1, 2, 3) c
  ON c.agent = r.agent AND c."user" = r."user" AND c.hour = r.hour WHERE coalesce(r.written, 0) <> coalesce(c.n, 0)
  AND coalesce(r.hour, c.hour) > substr(coalesce((SELECT max(before) FROM call_prunes), ''), 1, 13)
  OR r.last_at IS NOT NULL AND substr(r.last_at, 1, 13) <> r.hour;

-- check call_outcomes: Its call is missing.
SELECT 'outcome ' || o.seq FROM call_outcomes o WHERE NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = o.call);
