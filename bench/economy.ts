import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ToolDescriptor } from "indusagi/llm";
import {
  answeredOutcome,
  createTableBox,
  createToolIndex,
  economize,
  type ToolBox,
  textResult,
} from "indusagi/runtime";
import type { BenchCase } from "./case.ts";
import { figureOf } from "./measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const SERVERS = 65;
const TOOLS_EACH = 20;
/** The tools of `npm run fleet` have this many different words, and this many words each that are indexed. */
const VOCABULARY = 5_000;
const WORDS_EACH = 75;

/** Tools with as many words as real ones have. Most words are rare, a few are in nearly every text. */
function makeTools(): ToolDescriptor[] {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const word = (): string => `w${Math.floor(VOCABULARY * random() ** 3).toString(26)}`.replaceAll(/\d/g, "x");
  const words = (count: number): string => Array.from({ length: count }, word).join(" ");
  return Array.from({ length: SERVERS * TOOLS_EACH }, (_, at) => {
    const server = `server${Math.floor(at / TOOLS_EACH)}`;
    const name = `${word()}_${word()}_${at}`;
    const note = { type: "string", description: words(5) };
    return {
      name: `${server}__${name}`,
      description: `${words(10)}. ${words(WORDS_EACH - 35)}`,
      parameters: {
        type: "object",
        properties: { [word()]: note, [word()]: note, [word()]: note, [word()]: note },
      },
      origin: { server, tool: name },
    };
  });
}

/** The first index of a process: the code has never run. The library is loaded before. */
const BUILD = `
import { createToolIndex } from "indusagi/runtime";
const tools = JSON.parse(await new Response(process.stdin).text());
await createToolIndex();
const start = performance.now();
await createToolIndex(tools);
console.log(performance.now() - start);
`;

const build: BenchCase = {
  id: "tool-index",
  summary: `index of ${SERVERS * TOOLS_EACH} tools, the first of a process, in milliseconds`,
  measure: async () => {
    const input = JSON.stringify(makeTools());
    return figureOf(Array.from({ length: 11 }, () => Number(printedBy(BUILD, input))));
  },
};

function printedBy(script: string, input: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: root,
    encoding: "utf8",
    input,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const change: BenchCase = {
  id: "tool-index-change",
  summary: `the same index after the ${TOOLS_EACH} tools of one server changed, in milliseconds`,
  measure: async () => {
    const tools = makeTools();
    const index = await createToolIndex(tools);
    const samples = Array.from({ length: 15 }, (_, round) => {
      const from = round * TOOLS_EACH;
      const changed = tools.map((tool, at) => (at >= from && at < from + TOOLS_EACH ? { ...tool } : tool));
      const start = performance.now();
      index.update(changed);
      const ms = performance.now() - start;
      index.update(tools);
      return ms;
    });
    return figureOf(samples.slice(2));
  },
};

const search: BenchCase = {
  id: "tool-search",
  summary: `a search of eight words in ${SERVERS * TOOLS_EACH} tools, in milliseconds`,
  measure: async () => {
    const tools = makeTools();
    const index = await createToolIndex(tools);
    const samples = Array.from({ length: 60 }, (_, round) => {
      const query = tools[round * 20]?.description.split(" ").slice(0, 8).join(" ") ?? "";
      const start = performance.now();
      index.search(`${query} server${round}`);
      return performance.now() - start;
    });
    return figureOf(samples.slice(10));
  },
};

const CALLS = 20_000;

/** Has no base: the figure is what `tool_call` adds to the same call, in microseconds. */
const call: BenchCase = {
  id: "tool-call",
  summary: `what tool_call adds to a call of one of ${SERVERS * TOOLS_EACH} tools, in microseconds`,
  measure: async () => {
    const outcome = answeredOutcome("1", textResult(""));
    const tools = makeTools();
    const { box } = createTableBox(tools.map((descriptor) => ({ descriptor, run: async () => outcome })));
    const economized = economize(box);
    const name = tools[700]?.name ?? "";
    const direct = { id: "1", name, input: { a: 1 } };
    const through = { id: "1", name: "tool_call", input: { name, arguments: { a: 1 } } };
    const samples: number[] = [];
    for (let round = 0; round < 12; round++) {
      const base = await timeOf(box, direct);
      samples.push((((await timeOf(economized, through)) - base) * 1000) / CALLS);
    }
    return figureOf(samples.slice(2));
  },
};

async function timeOf({ runner }: ToolBox, given: Parameters<ToolBox["runner"]["run"]>[0]): Promise<number> {
  const start = performance.now();
  for (let at = 0; at < CALLS; at++) await runner.run(given);
  return performance.now() - start;
}

export const economyCases: readonly BenchCase[] = [build, change, search, call];
