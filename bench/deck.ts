import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchCase } from "./case.ts";
import { figureOf } from "./measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A session provisions once, so this is the first deck of a process, with the box. The import comes before. */
const PROVISION = `
import { createDeckContext, provisionDeck } from "induscode/deck";
const start = performance.now();
const deck = provisionDeck("all", createDeckContext("."));
const count = deck.intoToolBox().descriptors().length;
console.log(performance.now() - start);
await deck.close();
if (count !== 19) throw new Error("expected 19 cards, got " + count);
`;

/** Has no base: the figure and the budget are milliseconds. */
const provision: BenchCase = {
  id: "deck-provision",
  summary: "provisioning a deck of all 19 cards, the first of a process, in milliseconds",
  measure: async () => figureOf(Array.from({ length: 15 }, () => Number(printedBy(PROVISION)))),
};

function printedBy(script: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

export const deckCases: readonly BenchCase[] = [provision];
