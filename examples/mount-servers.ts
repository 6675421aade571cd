// Many MCP servers as one tool box. A broken server is listed in the status with its reason; the others work.
import { fileURLToPath } from "node:url";
import { mountProtocolBridge } from "indusagi/interop";

const publicServer = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));

const { box, fleet } = await mountProtocolBridge({
  servers: [
    {
      kind: "stdio",
      id: "fs",
      command: process.execPath,
      args: [publicServer("server-filesystem"), process.cwd()],
    },
    { kind: "stdio", id: "broken", command: "no-such-command" },
    {
      kind: "stdio",
      id: "everything",
      command: process.execPath,
      args: [publicServer("server-everything"), "stdio"],
    },
  ],
});
for (const [id, { phase, toolCount, fault }] of fleet.status())
  console.log(id, phase, toolCount, fault?.message ?? "");

const outcome = await box.runner.run({ id: "1", name: "everything__get-sum", input: { a: 2, b: 40 } });
console.log(outcome.output);
await fleet.tearDown();

if (!String(outcome.output).includes("42")) throw new Error("the example expected 42");
