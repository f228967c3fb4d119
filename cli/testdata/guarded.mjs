// guarded.mjs COMMAND…: connects to server-everything with the TypeScript SDK, uses
// everything that a server offers and asks for, and prints what came back.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import * as types from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "driver", version: "1" }, { capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } } });
const seen = { sampled: 0, elicited: 0, rooted: 0, logged: 0 };
client.setRequestHandler(types.CreateMessageRequestSchema, async () => {
  seen.sampled++;
  return { model: "m", role: "assistant", content: { type: "text", text: "sampled" } };
});
client.setRequestHandler(types.ElicitRequestSchema, async () => {
  seen.elicited++;
  return { action: "accept", content: { name: "Ada", check: true } };
});
client.setRequestHandler(types.ListRootsRequestSchema, async () => {
  seen.rooted++;
  return { roots: [{ uri: "file:///tmp", name: "tmp" }] };
});
const logged = new Promise((resolve) =>
  client.setNotificationHandler(types.LoggingMessageNotificationSchema, (n) => {
    if (n.params.logger !== "toolcrib") resolve((seen.logged = 1));
  }));
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" }));
await new Promise((resolve) => setTimeout(resolve, 1000)); // the server adds tools when it knows the client's capabilities
const call = async (name, input = {}, options) => (await client.callTool({ name, arguments: input }, undefined, options)).content;

const out = { server: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() };
out.tools = (await client.listTools()).tools;
if (out.tools.length > 0) {
  out.echo = await call("echo", { message: "hi" });
  out.progress = 0;
  out.long = await call("trigger-long-running-operation", { duration: 1, steps: 3 }, { onprogress: () => out.progress++ });
  out.progress = out.progress > 0; // the last may come with the result
  await call("trigger-sampling-request", { prompt: "p", maxTokens: 10 });
  await call("trigger-elicitation-request");
  await call("get-roots-list");
  await client.setLoggingLevel("debug");
  await call("toggle-simulated-logging");
  await logged;
}
out.prompts = (await client.listPrompts()).prompts;
out.prompt = await client.getPrompt({ name: "simple-prompt" });
out.resources = (await client.listResources()).resources;
out.templates = (await client.listResourceTemplates()).resourceTemplates;
out.completion = await client.complete({ ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "E" } });
console.log(JSON.stringify({ ...out, ...seen }));
await client.close();
process.exit(0);
