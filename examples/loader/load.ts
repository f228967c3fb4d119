import { readFile, writeFile } from "node:fs/promises";

/** Returns the agent's tools and prompt: the last good copy while the server is away, none when it refuses. */
export async function load(agent: string, format = "openai", copy = "catalog.json") {
  const kept = await readFile(copy, "utf8").then(JSON.parse, () => ({ tag: "", config: null }));
  const url = `${process.env.TOOLCRIB_URL}/v1/agents/${agent}/config?format=${format}`;
  const headers = { Authorization: `Bearer ${process.env.TOOLCRIB_TOKEN}`, "If-None-Match": kept.tag };
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(2000) }).catch(() => null); // away
  if (answer && answer.status >= 400 && answer.status < 500) throw new Error(`toolcrib refused: ${answer.status}`);
  if (!answer?.ok && kept.config === null) throw new Error("toolcrib is away, and there is no copy");
  if (!answer?.ok) return kept.config; // 304 means the copy, too
  const config = await answer.json();
  await writeFile(copy, JSON.stringify({ tag: answer.headers.get("ETag"), config }), { mode: 0o600 });
  return config;
}
