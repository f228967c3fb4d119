// Calls every tool of the memory server that an MCP client's file has, through the
// TypeScript SDK. Usage: node quickstart.mjs FILE PROGRAM
import fs from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const entry = JSON.parse(fs.readFileSync(process.argv[2])).mcpServers.memory;
const client = new Client({ name: "quickstart", version: "1" });
await client.connect(new StdioClientTransport({ command: process.argv[3], args: entry.args, env: { ...process.env, ...entry.env } }));
const { tools } = await client.listTools();
const calls = {
  create_entities: { entities: [{ name: "Harbour", entityType: "place", observations: ["foggy"] }, { name: "Ship", entityType: "thing", observations: ["red"] }] },
  create_relations: { relations: [{ from: "Ship", to: "Harbour", relationType: "lies in" }] },
  add_observations: { observations: [{ entityName: "Ship", contents: ["fast"] }] },
  read_graph: {},
  search_nodes: { query: "Ship" },
  open_nodes: { names: ["Harbour"] },
  delete_observations: { deletions: [{ entityName: "Ship", observations: ["red"] }] },
  delete_relations: { relations: [{ from: "Ship", to: "Harbour", relationType: "lies in" }] },
  delete_entities: { entityNames: ["Ship"] },
};
let ran = 0;
for (const { name } of tools) {
  const result = await client.callTool({ name, arguments: calls[name] ?? {} });
  if (result.isError) console.log(name, JSON.stringify(result));
  else ran++;
}
console.log(`${ran} of ${tools.length} ran`);
await client.close();
