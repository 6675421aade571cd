import { setTimeout as sleep } from "node:timers/promises";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { ENDING_AT_ONCE, endInTurn } from "../../../../src/core/process-tree/end/followed-tree.ts";

const PROGRAMS = 3 * ENDING_AT_ONCE;

verifies("tree:turns", "only some programs end at the same time, and all of them end", async () => {
  let ending = 0;
  let most = 0;
  let told = 0;
  const one = (): Promise<void> => {
    let exit = (): void => {};
    const exited = new Promise<void>((resolve) => void (exit = resolve));
    const tell = (): void => {
      told += 1;
      ending += 1;
      most = Math.max(most, ending);
      setImmediate(() => {
        ending -= 1;
        exit();
      });
    };
    return endInTurn({ tell, exited, graceMs: 60_000 });
  };
  await Promise.all(Array.from({ length: PROGRAMS }, one));
  expect(told).toBe(PROGRAMS);
  expect(most).toBe(ENDING_AT_ONCE);
});

verifies("tree:turns", "programs that do not end delay the others by a short turn only", async () => {
  const never = new Promise<never>(() => {});
  const stuck = Array.from({ length: ENDING_AT_ONCE }, () =>
    endInTurn({ tell: () => {}, exited: never, graceMs: 400 }),
  );
  let isTold = false;
  const last = endInTurn({ tell: () => void (isTold = true), exited: Promise.resolve(), graceMs: 400 });
  expect(isTold).toBe(false);
  const first = await Promise.race([
    last.then(() => "the last"),
    ...stuck.map((it) => it.then(() => "a stuck one")),
  ]);
  expect(first).toBe("the last");
  await Promise.all(stuck);
});

verifies("tree:turns", "a short grace period is not prolonged by the turn", async () => {
  const ended = endInTurn({ tell: () => {}, exited: new Promise(() => {}), graceMs: 1 });
  expect(await Promise.race([ended.then(() => "ended"), sleep(90, "late")])).toBe("ended");
});
