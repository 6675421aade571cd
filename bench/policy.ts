import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolDescriptor } from "indusagi/llm";
import { answeredOutcome, createTableBox, type ToolBox, type ToolRunner, textResult } from "indusagi/runtime";
import { createPolicy, gate } from "induscode/policy";
import type { BenchCase } from "./case.ts";
import { figureOf } from "./measure.ts";

const CALLS = 5_000;
const ROUNDS = 21;

const tool = (name: string): ToolDescriptor => ({
  name,
  description: name,
  parameters: { type: "object" },
});

/** 200 rules: a quarter each about commands, paths, single tools of servers, and whole servers. None is the last word. */
function rules(): { readonly allow: string[]; readonly ask: string[]; readonly deny: string[] } {
  const fifty = Array.from({ length: 50 }, (_, index) => index);
  return {
    allow: [
      "write(src/**)",
      "bash(npm run *)",
      ...fifty.slice(2).map((n) => `write(packages/p${n}/**/*.ts)`),
    ],
    ask: fifty.map((n) => `server${n}__*`),
    deny: [...fifty.map((n) => `bash(tool${n} *)`), ...fifty.map((n) => `server${n}__delete_all`)],
  };
}

/** The calls of a session: a change of a file, a command, and a tool of a server. No command is read twice. */
const inputs = (count: number) => [
  { name: "write", input: { path: "src/a.ts", content: "x" } },
  { name: "bash", input: { command: `npm run build -- --part=${count} src/a.ts` } },
  {
    name: "other__create_issue",
    input: { title: "a title", body: "a text of some length", labels: ["a", "b"] },
  },
];

function boxes(cwd: string): { readonly bare: ToolBox; readonly gated: ToolBox } {
  const outcome = answeredOutcome("1", textResult(""));
  const run: ToolRunner["run"] = async () => outcome;
  const descriptors = [
    tool("write"),
    tool("bash"),
    { ...tool("other__create_issue"), origin: { server: "other", tool: "create_issue" } },
  ];
  const { box: bare } = createTableBox(descriptors.map((descriptor) => ({ descriptor, run })));
  const given = rules();
  const policy = createPolicy({
    cwd,
    ...given,
    allow: [...given.allow, "other__create_issue"],
    effectOf: (_, input) => {
      const { path } = input as { readonly path?: string };
      return { readOnly: false, ...(path === undefined ? {} : { paths: [path] }) };
    },
  });
  return { bare, gated: gate(bare, policy) };
}

/** Microseconds per call. */
async function timeOf({ runner }: ToolBox): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) {
    for (const { name, input } of inputs(i)) {
      const { fault } = await runner.run({ id: "1", name, input });
      if (fault) throw new Error(`${name} was refused`);
    }
  }
  return ((performance.now() - start) * 1000) / (CALLS * 3);
}

/** Has no base: the figure and the budget are the microseconds that the gate adds to a call. */
const gateCall: BenchCase = {
  id: "gate-call",
  summary: "what a gate with 200 rules adds to a call (a file, a command, a mounted tool), in microseconds",
  measure: async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "indus-bench-")));
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/a.ts"), "");
    try {
      const { bare, gated } = boxes(folder);
      const samples: number[] = [];
      for (let round = 0; round < ROUNDS; round++) samples.push((await timeOf(gated)) - (await timeOf(bare)));
      return figureOf(samples.slice(2));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

export const policyCases: readonly BenchCase[] = [gateCall];
