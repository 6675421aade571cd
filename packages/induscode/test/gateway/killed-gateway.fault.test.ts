import { setTimeout as pause } from "node:timers/promises";
import { atSize, machinePace, recordFigure, tempDir, verifies } from "@indus/testkit";
import { mintUlid } from "indusagi/core";
import { expect } from "vitest";
import { processesWith } from "../bin/interrupted-phases.ts";
import { eventually } from "../bin/run-indus.ts";
import { callModern, roughRow, serveRows } from "./serving-gateway.ts";

const ROUNDS = atSize({ quick: 2, full: 50 });
const SERVERS = atSize({ quick: 3, full: 10 });

verifies(
  "gateway-proof:killed",
  "kill -9 of `indus serve` at any moment leaves none of its servers",
  async () => {
    await using dir = await tempDir();
    const pace = await machinePace();
    const goneMs: number[] = [];
    let seen = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = mintUlid();
      const mark = `LC_INDUSMARK=${id}`;
      const ids = Array.from({ length: SERVERS }, (_, at) => `s${at}`);
      const rows = Object.fromEntries(ids.map((server) => [server, roughRow()]));
      await using gateway = await serveRows(dir, { name: `round-${round}`, rows, env: { LC_INDUSMARK: id } });
      // In every second round all servers run and one of them is in a call; otherwise it is some moment of the start.
      if (round % 2 === 0) {
        await Promise.all(
          ids.map(async (server) => {
            const answer = await callModern(gateway.url, `${server}__echo`, { args: { text: "up" } });
            expect(answer.text, server).toContain('"up"');
          }),
        );
        void callModern(gateway.url, "s0__never").catch(() => {});
      } else await pause(Math.random() * 600);
      const running = processesWith(mark).length;
      if (round % 2 === 0) expect(running).toBeGreaterThan(SERVERS);
      seen += running;
      gateway.indus.child.kill("SIGKILL");
      const killedMs = performance.now();
      await gateway.indus.ended;
      await eventually(() => processesWith(mark).length === 0 || undefined, 60_000);
      goneMs.push(performance.now() - killedMs);
    }
    await pace.check(goneMs, { hangMs: 15_000, medianMs: 3_000 });
    recordFigure({
      what: "`indus serve` is killed (SIGKILL)",
      size: `${ROUNDS} rounds, ${SERVERS} servers, ${seen} processes`,
      found: `0 processes left, the last one gone after ${Math.max(...goneMs).toFixed(0)} ms at worst`,
    });
  },
  { only: ["linux"], timeoutMs: atSize({ quick: 60_000, full: 15 * 60_000 }) },
);
