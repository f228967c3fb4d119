// Has a scanner read every file of a folder as a prompt, and prints what it would do.
// Arguments: the module of the scanner, the folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [module, folder] = process.argv.slice(2);
const { scanAgentPrompt } = await import(pathToFileURL(module));
const actions = {};
for (const file of readdirSync(folder)) {
  const answer = await scanAgentPrompt({ prompt_text: readFileSync(join(folder, file), "utf8"), verbosity: "minimal" });
  actions[file] = JSON.parse(answer.content[0].text).action;
}
process.stdout.write(JSON.stringify(actions));
