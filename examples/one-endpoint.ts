// One server without a pool: open, list, call with progress and a deadline, close.
import { fileURLToPath } from "node:url";
import { createServerEndpoint, isUsablePhase } from "indusagi/interop";

const everything = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const endpoint = createServerEndpoint({
  kind: "stdio",
  id: "everything",
  command: process.execPath,
  args: [everything, "stdio"],
  timeouts: { callMs: 5000 },
});
await endpoint.open();
console.log(endpoint.phase, endpoint.session().protocolVersion, (await endpoint.listTools()).length, "tools");

const { content } = await endpoint.invoke(
  "trigger-long-running-operation",
  { duration: 0.3, steps: 3 },
  { onProgress: ({ progress, total }) => console.log(`${progress}/${total}`) },
);
console.log(content);
await endpoint.close();

if (isUsablePhase(endpoint.phase)) throw new Error("a closed endpoint must not be usable");
