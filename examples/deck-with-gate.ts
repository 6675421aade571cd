// A deck with the product's own tools and a mounted server, behind a gate that decides about every call.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
// #region compose
import { mountProtocolBridge } from "indusagi/interop";
import { bridgeBoxSource, createDeckContext, effectOf, provisionDeck } from "induscode/deck";
import { createPolicy, gate } from "induscode/policy";

// #endregion
const server = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const cwd = await mkdtemp(join(tmpdir(), "indus-example-"));

// #region compose
const { box, fleet } = await mountProtocolBridge({
  servers: [{ kind: "stdio", id: "everything", command: process.execPath, args: [server, "stdio"] }],
});
const deck = provisionDeck("all", createDeckContext(cwd)).graft(bridgeBoxSource(box));
const policy = createPolicy({ cwd, effectOf, deny: ["bash"], allow: ["everything__get-sum"] });
const tools = gate(deck.intoToolBox(), policy, async ({ call }) => ({ allow: call.name === "write" }));

const run = (name: string, input: object) => tools.runner.run({ id: "1", name, input });
const sum = await run("everything__get-sum", { a: 2, b: 40 }); // Allowed by the rule.
const written = await run("write", { path: "a.txt", content: "hello" }); // Allowed by the approver.
await deck.close();
await fleet.tearDown();
// #endregion

policy.setMode("plan");
const refused = await run("write", { path: "b.txt", content: "hello" });
await rm(cwd, { recursive: true });
console.log(sum.output, written.output, refused.output);
assert.match(String(sum.output), /42/);
assert.equal(written.isError, false);
assert.equal(refused.fault?.reason, "policy");
assert.ok(!tools.descriptors().some(({ name }) => name === "bash"));
