import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir, verifies } from "@indus/testkit";
import { mountProtocolBridge, type StdioServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { faultOf, opened } from "../kit/evil.ts";
import { isAlive } from "../kit/scripted.ts";

const script = fileURLToPath(new URL("leftover-server.mjs", import.meta.url));
const rowWith = (signal: string): StdioServerConfig => ({
  kind: "stdio",
  id: "s",
  command: process.execPath,
  args: [script, signal],
});

/** Resolves when this process knows that the other one has exited. A child still holds the pipes then. */
async function gone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 10_000, interval: 1 }).toBe(false);
}

/**
 * Lets the child answer. Not at once after the exit: what arrives in the same turn of the event loop may have been written by the
 * server itself.
 */
async function letAnswer(signal: string): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(signal, "");
}

verifies(
  "stdio:leftover",
  "an answer by a child of a server that has exited is ignored, and the calls fail",
  async () => {
    await using dir = await tempDir();
    await using endpoint = await opened(rowWith(dir.at("first")));
    const [left, other] = ["leave", "who"].map((tool) => faultOf(endpoint.invoke(tool, {})));
    await gone(Number(endpoint.session().serverInfo.version));
    await letAnswer(dir.at("first"));
    for (const fault of [await left, await other])
      expect(fault).toMatchObject({ kind: "transport", retrySafe: false, details: { exit: { code: 0 } } });
    expect(endpoint.phase).toBe("faulted");
    await using second = await opened(rowWith(dir.at("second")));
    const pending = faultOf(second.invoke("leave", {}));
    await gone(Number(second.session().serverInfo.version));
    expect(second.phase).toBe("ready");
    const late = faultOf(second.invoke("who", {}));
    await letAnswer(dir.at("second"));
    expect(await late).toMatchObject({ kind: "transport", retrySafe: true });
    expect(await pending).toMatchObject({ kind: "transport", retrySafe: false });
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "stdio:leftover",
  "a call sent after the exit is answered by the next process, never by the child",
  async () => {
    await using dir = await tempDir();
    const { box, fleet } = await mountProtocolBridge(
      { servers: [rowWith(dir.at("signal"))] },
      { supervision: { firstDelayMs: 10, maxDelayMs: 20 } },
    );
    const call = (tool: string) => box.runner.run({ id: tool, name: `s__${tool}`, input: {} });
    const left = call("leave");
    await gone(Number(fleet.endpoint("s")?.session().serverInfo.version));
    const next = call("who");
    await letAnswer(dir.at("signal"));
    expect(await left).toMatchObject({ isError: true, fault: { kind: "transport", retrySafe: false } });
    expect(await next).toMatchObject({ isError: false, output: "the server" });
    await fleet.tearDown();
  },
  { only: ["linux", "darwin"] },
);

verifies("stdio:leftover", "what a server wrote directly before its exit is read to the end", async () => {
  for (let n = 0; n < 5; n++) {
    await using endpoint = await opened(rowWith("unused"));
    const result = await endpoint.invoke("farewell", {});
    expect(result.content).toEqual([{ type: "text", text: "x".repeat(60_000) }]);
  }
});
