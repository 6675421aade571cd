import { openSync } from "node:fs";
import { createServerEndpoint } from "../../../src/interop/index.ts";

/**
 * A process that owns endpoints and can be killed, or that tries to open one without free descriptors. Arguments:
 * `stay` or `emfile`, then a configuration and the command lines its server starts.
 */
const [mode, config = "{}", ...commands] = process.argv.slice(2);
const endpoint = createServerEndpoint(JSON.parse(config));
await endpoint.open();
await Promise.all(commands.map((command) => endpoint.invoke("act", { do: "spawn", command })));

if (mode === "stay") process.stdout.write("ready\n");
else {
  await endpoint.close();
  const second = createServerEndpoint(JSON.parse(config));
  try {
    for (;;) openSync("/dev/null", "r");
  } catch {
    // No descriptors are left.
  }
  const said = await second.open().then(
    () => ({ kind: "none" }),
    (fault: { kind: string; message: string; cause?: { code?: string } }) => ({
      kind: fault.kind,
      code: fault.cause?.code,
      phase: second.phase,
    }),
  );
  process.stdout.write(`${JSON.stringify(said)}\n`, () => process.exit(0));
}
