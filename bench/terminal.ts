import { setTimeout as pause } from "node:timers/promises";
import { openStage } from "../packages/induscode/src/front/repl/view/stage.ts";
import { TurnView } from "../packages/induscode/src/front/repl/view/turn-view.ts";
import type { BenchCase } from "./case.ts";
import { figureOf } from "./measure.ts";

const PIECES = 500;
const PIECES_AT_ONCE = 5;
const TICK_MS = 10;

const PARAGRAPH = `## A heading

Some **bold** text with \`code\` and a [link](https://example.com), long enough to be folded at the width of the screen, which is usual.

- an item of a list
- another one

\`\`\`ts
const answer = 42;
\`\`\`

| name | value |
|---|---|
| one | 1 |

`;

/** Pieces as models send them: a few characters each. */
function pieces(): readonly string[] {
  const text = PARAGRAPH.repeat(Math.ceil((PIECES * 6) / PARAGRAPH.length));
  return Array.from({ length: PIECES }, (_, at) => text.slice(at * 6, at * 6 + 6));
}

const render: BenchCase = {
  id: "render-500",
  summary: `rendering ${PIECES} pieces of an answer in a second while a tool runs, in milliseconds of processor time`,
  measure: async () => {
    const samples: number[] = [];
    for (let round = 0; round < 6; round++) samples.push(await renderedMs());
    return figureOf(samples.slice(1));
  },
};

async function renderedMs(): Promise<number> {
  let written = 0;
  using stage = openStage({
    out: (text) => void (written += text.length),
    outLook: { width: 80, height: 40, hasColours: true },
  });
  using view = new TurnView(stage);
  view.show({
    kind: "tool_start",
    call: { kind: "tool_call", id: "1", name: "bash", input: { command: "npm test" } },
    sent: {},
  });
  const all = pieces();
  const before = process.cpuUsage();
  for (let at = 0; at < all.length; at += PIECES_AT_ONCE) {
    for (const text of all.slice(at, at + PIECES_AT_ONCE)) view.show({ kind: "text_delta", text });
    await pause(TICK_MS);
  }
  stage.flush();
  const { user, system } = process.cpuUsage(before);
  if (written === 0) throw new Error("nothing was drawn");
  return (user + system) / 1000;
}

export const terminalCases: readonly BenchCase[] = [render];
