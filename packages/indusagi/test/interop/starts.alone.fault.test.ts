import { chmod, mkdir, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { atSize, recordFigure, tempDir, verifies } from "@indus/testkit";
import { createServerEndpoint, type StdioServerConfig } from "indusagi/interop";
import { expect } from "vitest";
import { aliveWith, newMark } from "../core/process-tree/tree-shapes.ts";
import { evil, faultOf } from "./kit/evil.ts";
import { ownerProgram, saidBy } from "./kit/owner-program.ts";
import { watchProcess } from "./kit/watch-process.ts";

watchProcess();

const only = ["linux"] as const;
const owner = ownerProgram();

verifies(
  "faults:b13-spawn",
  "each failed start is a fault with its code",
  async () => {
    await using dir = await tempDir();
    const plain = dir.at("plain.txt");
    const noProgram = dir.at("no-program");
    await writeFile(plain, "text");
    await writeFile(noProgram, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0, 0]));
    await chmod(noProgram, 0o755);
    await mkdir(dir.at("folder"), { recursive: true });
    const table: readonly (readonly [string, Partial<StdioServerConfig>, string | undefined])[] = [
      ["no such command", { command: "/no/such/program" }, "ENOENT"],
      ["no such command in the path", { command: "no-such-program-anywhere" }, "ENOENT"],
      ["not executable", { command: plain }, "EACCES"],
      ["a folder", { command: dir.at("folder") }, "EACCES"],
      ["no program", { command: noProgram }, undefined],
      ["no such working directory", { command: process.execPath, cwd: "/no/such/folder" }, "ENOENT"],
      ["a file as working directory", { command: process.execPath, cwd: plain }, "ENOTDIR"],
      ["too long a command line", { command: process.execPath, args: ["x".repeat(4_000_000)] }, "E2BIG"],
      ["a NUL in an argument", { command: process.execPath, args: ["a\0b"] }, "ERR_INVALID_ARG_VALUE"],
    ];
    for (const [name, row, code] of table) {
      const endpoint = createServerEndpoint({ kind: "stdio", id: "s", ...row } as StdioServerConfig);
      const fault = await faultOf(endpoint.open());
      expect(fault, name).toMatchObject({ kind: "spawn_failed", retrySafe: true });
      if (code) expect((fault.cause as { readonly code?: string }).code, name).toBe(code);
      expect(endpoint.phase, name).toBe("faulted");
      await endpoint.close();
      expect(endpoint.status().fault, name).toBe(fault);
    }
  },
  { only },
);

verifies(
  "faults:b13-spawn",
  "without free descriptors it is a fault that names the limit",
  async () => {
    const us = owner.start(["emfile", JSON.stringify(evil("s")), "echo ready"], 256);
    const said = JSON.parse(await saidBy(us)) as unknown;
    expect(said).toEqual({ kind: "spawn_failed", code: "EMFILE", phase: "faulted" });
  },
  { only },
);

verifies(
  "faults:b14-aborts",
  "a close or an abort at any moment of opening leaves one end state and no process",
  async () => {
    const rounds = atSize({ quick: 12, full: 300 });
    const marks: string[] = [];
    for (let round = 0; round < rounds; round += 4) {
      await Promise.all(
        [0, 1, 2, 3].map(async (lane) => {
          const mark = newMark();
          marks.push(mark);
          const config = evil("s");
          const endpoint = createServerEndpoint({ ...config, args: [...(config.args ?? []), mark] });
          const abort = new AbortController();
          const outcomes = Promise.allSettled([endpoint.open(), endpoint.open(abort.signal)]);
          await sleep(((round + lane) % 12) * 10);
          abort.abort(new Error("enough"));
          await Promise.all([endpoint.close(), endpoint.close()]);
          const [whole] = await outcomes;
          if (whole.status === "rejected") expect(whole.reason).toMatchObject({ kind: "not_connected" });
          expect(endpoint.phase).toBe("closed");
          expect(await faultOf(endpoint.open())).toMatchObject({ kind: "not_connected" });
          expect(await faultOf(endpoint.invoke("act", {}))).toMatchObject({ kind: "not_connected" });
          expect(aliveWith(mark)).toEqual([]);
        }),
      );
    }
    expect(marks.flatMap((mark) => aliveWith(mark))).toEqual([]);
    recordFigure({
      what: "B14 closed at some moment of opening",
      size: `${rounds} endpoints`,
      found: "0 processes left",
    });
  },
  { only, timeoutMs: 120_000 },
);
