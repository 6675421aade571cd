import { verifies } from "@indus/testkit";
import { startTree } from "indusagi/core";
import { createServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { StdioTransport } from "../../../src/interop/wire/index.ts";
import { isAlive, scripted } from "../kit/scripted.ts";

/** Starts processes with a delay before or after. */
function slow(when: "before" | "after") {
  const pids: number[] = [];
  let asked = 0;
  let goOn = (): void => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const start: typeof startTree = async (command, args, options) => {
    asked++;
    if (when === "before") await gate;
    const tree = await startTree(command, args, options);
    pids.push(tree.pid);
    if (when === "after") await gate;
    return tree;
  };
  return { start, pids, asked: () => asked, goOn: () => goOn() };
}

for (const when of ["before", "after"] as const) {
  verifies("stdio:no-orphans", `closed ${when} the process exists: gone after the close`, async () => {
    const starts = slow(when);
    const endpoint = createServerEndpoint(scripted("s"), undefined, { stdio: { startTree: starts.start } });
    const opening = endpoint.open().catch((thrown: unknown) => thrown);
    await expect.poll(() => (when === "before" ? starts.asked() : starts.pids.length)).toBe(1);
    const closing = endpoint.close();
    starts.goOn();
    await closing;
    expect(starts.pids.map(isAlive)).toEqual([false]);
    expect(await opening).toMatchObject({ kind: "not_connected" });
    expect([endpoint.phase, starts.asked()]).toEqual(["closed", 1]);
  });

  verifies("stdio:no-orphans", `a deadline that passes ${when} the process exists leaves none`, async () => {
    const starts = slow(when);
    const options = { stdio: { startTree: starts.start }, timeouts: { connectMs: 100 } };
    const endpoint = createServerEndpoint(scripted("s"), undefined, options);
    const opening = endpoint.open().catch((thrown: unknown) => thrown);
    setTimeout(starts.goOn, 200);
    expect(await opening).toMatchObject({ kind: "timeout" });
    expect(starts.pids).toHaveLength(starts.asked());
    expect(starts.pids.filter(isAlive)).toEqual([]);
  });
}

verifies("stdio:no-orphans", "a transport closed before it starts starts nothing", async () => {
  const starts = slow("before");
  const transport = new StdioTransport(scripted("s"), { startTree: starts.start });
  await transport.close();
  await expect(transport.start()).rejects.toThrow('server "s" was closed before its process had started');
  expect(starts.asked()).toBe(0);
});
