import { readFile, writeFile } from "node:fs/promises";

/** Returns the agent's tools and prompt; the last good copy while the server is away. */
export async function load(agent: string, format = "openai", copy = "catalog.json") {
  const url = `${process.env.TOOLCRIB_URL}/v1/agents/${agent}/config?format=${format}`;
  const headers = { Authorization: `Bearer ${process.env.TOOLCRIB_TOKEN}` };
  const text = await fetch(url, { headers, signal: AbortSignal.timeout(2000) })
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(answer.status)))
    .then(async (text) => (await writeFile(copy, text), text))
    .catch(() => readFile(copy, "utf8")); // away, or it refused
  return JSON.parse(text);
}
