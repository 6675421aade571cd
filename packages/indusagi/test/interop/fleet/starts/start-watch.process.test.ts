import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import { createManualClock } from "indusagi/core";
import { type ServerConfig, ServerFleetImpl, type StartHistory } from "indusagi/interop";
import { expect } from "vitest";
import { StartWatch } from "../../../../src/interop/fleet/starts/start-watch.ts";
import { rough } from "../rough.ts";

const LINUX = { only: ["linux"] as const, timeoutMs: 120_000 };
/** None of these answers, so none may end by itself. */
const timeouts = { connectMs: 600_000 };
const MUTE_MS = 600;

/** A server that runs a program and never answers. */
function never(id: string, program: string, command = process.execPath): ServerConfig {
  return { kind: "stdio", id, command, args: ["-e", program], timeouts };
}

/** A launcher named `npx`, in a folder of its own. */
async function launcher(dir: TempDir): Promise<string> {
  await writeFile(dir.at("npx"), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  await chmod(dir.at("npx"), 0o755);
  return dir.at("npx");
}

verifies(
  "starts:no-sign-of-work",
  "a process that only waits is found mute again and again; one that computes, writes, prints or downloads is not",
  async () => {
    await using dir = await tempDir();
    const registry = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => registry.once("listening", resolve));
    const { port } = registry.address() as { readonly port: number };
    const file = JSON.stringify(dir.at("written"));
    const npx = await launcher(dir);
    const servers = [
      { ...rough("mute", "--mute"), timeouts },
      never("computes", "for (;;);"),
      never("inside", `require("child_process").spawn(process.execPath, ["-e", "for (;;);"])`),
      never("writes", `setInterval(() => require("fs").writeFileSync(${file}, "x".repeat(9999)), 20)`),
      never("prints", `setInterval(() => console.error("still working"), 20)`),
      // Without a byte: only the open socket shows that it waits for a download.
      never("downloads", `require("net").connect(${port}, "127.0.0.1")`, npx),
    ];
    const found: string[] = [];
    let seen = (): void => {};
    const fleet = new ServerFleetImpl({
      starts: { muteMs: MUTE_MS },
      startConcurrency: servers.length,
      onMute: (server) => {
        found.push(server);
        seen();
      },
    });
    try {
      const next = (): Promise<void> => new Promise((resolve) => (seen = resolve));
      let mute = next();
      void fleet.start({ servers });
      // Each round takes as long as the others have to show no work.
      for (let round = 0; round < 3; round++) {
        await mute;
        mute = next();
        void fleet.restart("mute");
      }
      expect(new Set(found)).toEqual(new Set(["mute"]));
      expect(fleet.status().get("mute")?.phase).not.toBe("faulted"); // Its start goes on.
    } finally {
      await fleet.tearDown();
      registry.close();
    }
  },
  LINUX,
);

verifies(
  "starts:no-sign-of-work",
  "where work cannot be measured, only a server that sends nothing is mute, and an installation never",
  async () => {
    const clock = createManualClock();
    let received = 0;
    const options = { clock, muteMs: 2500, process: () => 1, received: () => received, work: undefined };
    const watch = new StartWatch({ ...options, installs: false });
    const installing = new StartWatch({ ...options, installs: true });
    const isMuteAfter = async (ms: number): Promise<readonly boolean[]> => {
      await clock.advance(ms);
      return [watch.isMute(), installing.isMute()];
    };
    expect(await isMuteAfter(0)).toEqual([false, false]);
    expect(await isMuteAfter(2499)).toEqual([false, false]);
    received += 1;
    expect(await isMuteAfter(1)).toEqual([false, false]);
    expect(await isMuteAfter(2500)).toEqual([true, false]);
  },
);

/** Starts one server, lets some time pass, and tears the fleet down. Resolves to what was recorded about its start. */
async function interruptedAfter(
  ms: number,
  server: ServerConfig,
  until: "tried" | "ready" = "tried",
): Promise<readonly string[]> {
  const records: string[] = [];
  const clock = createManualClock();
  const reached = { tried: (): void => {}, ready: (): void => {} };
  const begun = new Promise<void>((resolve) => (reached[until] = resolve));
  const startHistory: StartHistory = {
    readyMs: () => undefined,
    recordTry: () => reached.tried(),
    recordReady: () => {
      records.push("ready");
      reached.ready();
    },
    recordFailure: () => void records.push("failed"),
    recordInterrupted: () => void records.push("interrupted"),
  };
  const fleet = new ServerFleetImpl({
    startHistory,
    starts: { muteMs: Number.POSITIVE_INFINITY },
    supervision: { clock },
  });
  void fleet.start({ servers: [server] });
  await begun;
  await clock.advance(ms);
  await fleet.tearDown();
  return records;
}

verifies(
  "starts:interrupted",
  "a start that is interrupted counts once, from 3 s on; a server that was ready does not, nor a working installation",
  async () => {
    await using dir = await tempDir();
    const mute = { ...rough("mute", "--mute"), timeouts };
    expect(await interruptedAfter(2999, mute)).toEqual([]);
    expect(await interruptedAfter(3000, mute)).toEqual(["interrupted"]);
    expect(await interruptedAfter(60_000, rough("good"), "ready")).toEqual(["ready"]);
    const installing = never("installing", "for (;;);", await launcher(dir));
    expect(await interruptedAfter(60_000, installing)).toEqual([]);
  },
  { timeoutMs: 120_000, only: ["linux", "darwin"] },
);
