// A box with many tools for the price of a few: the model gets three tools, and finds and calls all others with them.
import { fileURLToPath } from "node:url";
import { mountProtocolBridge } from "indusagi/interop";

const publicServer = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));

const { box, fleet } = await mountProtocolBridge({
  servers: [
    {
      kind: "stdio",
      id: "files",
      command: process.execPath,
      args: [publicServer("server-filesystem"), process.cwd()],
    },
    { kind: "stdio", id: "memory", command: process.execPath, args: [publicServer("server-memory")] },
    {
      kind: "stdio",
      id: "everything",
      command: process.execPath,
      args: [publicServer("server-everything"), "stdio"],
    },
  ],
});

// #region economize
import { economize, listCost } from "indusagi/runtime";

const small = economize(box, { pinned: ["files__read_text_file"], recent: 3 });
console.log(listCost(box.descriptors()), "tokens before,", listCost(small.descriptors()), "now");

const run = (name: string, input: object) => small.runner.run({ id: "1", name, input });
const found = await run("tool_search", { query: "add two numbers sum" });
console.log(found.output); // signatures and purposes, the best first
const sum = await run("tool_call", { name: "everything__get-sum", arguments: { a: 2, b: 40 } });
console.log(sum.output); // the outcome is the tool's own
// #endregion

// #region code
const coded = economize(box, { mode: "code" });
const code = `
  const sums: string[] = await Promise.all([1, 2, 3].map((a) => everything.getSum({ a, b: a })));
  return sums.filter((text) => text.includes("4"));
`;
const ran = await coded.runner.run({ id: "2", name: "run_code", input: { code } });
console.log(ran.output); // only what the program returns
// #endregion

await fleet.tearDown();
const isFound = String(found.output).split("\n")[1]?.startsWith("everything__get-sum(");
if (!isFound || !String(sum.output).includes("42") || listCost(small.descriptors()) > 1_500)
  throw new Error("the example expected get-sum as first result, and the sum");
