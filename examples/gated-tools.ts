// Puts a policy in front of the native tools: plan mode first, then edits.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "indus-example-"));

// #region gate
import { toolBox } from "indusagi/capabilities";
import { effectOf } from "induscode/deck";
import { createPolicy, gate } from "induscode/policy";

await using native = toolBox("all", folder);
const policy = createPolicy({
  cwd: folder,
  effectOf,
  mode: "plan",
  allow: ["bash(node --version)", "write(src/**)"],
  deny: ["webfetch", "bash(rm *)"],
});
const box = gate(native, policy, async ({ call, decision, suggestedRule }) => {
  console.log(`${call.name}? asked by ${decision.rule}; "always" would add ${suggestedRule}`);
  return { allow: false, message: "not in this example" };
});
// #endregion

const run = (name: string, input: object) => box.runner.run({ id: "1", name, input });

// #region modes
const refused = await run("write", { path: "notes.md", content: "# Notes\n" });
console.log(refused.fault?.reason, refused.output);
const listed = await run("bash", { command: "ls -a | wc -l" });
console.log(listed.output);

policy.setMode("acceptEdits");
const written = await run("write", { path: "notes.md", content: "# Notes\n" });
const asked = await run("bash", { command: "npm publish" });
console.log(asked.output);
// #endregion

rmSync(folder, { recursive: true });
const isHidden = box.descriptors().every(({ name }) => name !== "webfetch");
if (refused.fault?.reason !== "policy" || listed.isError || written.isError || !asked.isError || !isHidden)
  throw new Error("the example expected a refusal, a listing, a written file and a refused command");
