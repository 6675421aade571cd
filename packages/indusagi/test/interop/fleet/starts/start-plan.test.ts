import { verifies } from "@indus/testkit";
import { type ServerConfig, type StartHistory, startServerFleet } from "indusagi/interop";
import { expect } from "vitest";
import { createStartMemory } from "../../../../src/interop/fleet/starts/start-plan.ts";
import { rough } from "../rough.ts";

verifies("starts:history", "every start that succeeds or fails is recorded, with its time", async () => {
  const records: string[] = [];
  const startHistory: StartHistory = {
    readyMs: () => undefined,
    recordReady: ({ id }, ms) => void records.push(`${id} ready ${ms > 0 && Number.isFinite(ms)}`),
    recordFailure: ({ id }) => void records.push(`${id} failed`),
  };
  const config = { servers: [rough("good"), rough("bad", "--crash")] };
  const fleet = await startServerFleet(config, { startHistory, supervision: false });
  await fleet.tearDown();
  expect(records.toSorted()).toEqual(["bad failed", "good ready true"]);
});

verifies("starts:history", "the default history recognises a server by its launch, not by its id", () => {
  const memory = createStartMemory();
  const row: ServerConfig = { kind: "stdio", id: "a", command: "node", args: ["server.js"] };
  memory.recordReady(row, 120);
  expect(memory.readyMs({ ...row, id: "b" })).toBe(120);
  expect(memory.readyMs({ ...row, args: ["other.js"] })).toBeUndefined();
  expect(memory.readyMs({ ...row, cwd: "/elsewhere" })).toBeUndefined();
  expect(memory.readyMs({ kind: "sse", id: "a", url: "http://127.0.0.1/" })).toBeUndefined();
  memory.recordReady(row, 80);
  expect(memory.readyMs(row)).toBe(80);
});
