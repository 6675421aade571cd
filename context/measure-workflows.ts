import { join } from "node:path";
import { mountProtocolBridge, type ServerConfig } from "indusagi/interop";
import { economize, listCost, type ToolBox, type ToolCall, type ToolOutcome } from "indusagi/runtime";
import { isInstalled } from "../fleet/install.ts";
import { launchOf, type Scratch } from "../fleet/scratch.ts";
import type { FleetServer } from "../fleet/server-list.ts";
import { databaseStatements, WORKFLOWS, type Workflow, workflowIn, writeData } from "./workflows.ts";

/** A call that a workflow makes. Those of one turn do not depend on each other. */
interface MadeCall {
  readonly name: string;
  readonly input: unknown;
  readonly turn: number;
}

/** What one workflow takes in one mode. */
export interface Effort {
  /** Requests to the model, with the one in which it answers. */
  readonly turns: number;
  /** Of all requests together: each contains the list of tools and the conversation until then. */
  readonly tokens: number;
  /** Without the time that the model takes. */
  readonly ms: number;
}

export const WORKFLOW_MODES = ["all", "search", "code"] as const;
export type WorkflowMode = (typeof WORKFLOW_MODES)[number];

interface MeasuredWorkflow {
  readonly task: string;
  readonly calls: number;
  /** All results of the calls, in bytes. */
  readonly bytes: number;
  readonly efforts: { readonly [mode in WorkflowMode]: Effort };
}

export interface MeasuredWorkflows {
  readonly tools: number;
  readonly workflows: readonly MeasuredWorkflow[];
}

const ROUNDS = 3;

/** As the page names them, without the folder. */
const FOLDER = /DIR\//g;

/**
 * Runs each workflow as a program and then, call by call, in the other modes, as a model would that makes the same calls and writes the
 * same answer. Throws if the calls do not give the same results again.
 */
export async function measureWorkflows(
  servers: readonly FleetServer[],
  scratch: Scratch,
  mark: string,
): Promise<MeasuredWorkflows> {
  const missing = servers.filter((server) => !isInstalled(server, scratch)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`not installed: ${missing.join(", ")}`);
  const folder = join(scratch.data, "data", "workflows");
  const memoryFile = join(scratch.data, "memory.jsonl");
  writeData(folder, memoryFile);
  const configs = servers.map((server) => configOf(server, scratch, mark));
  const { box, fleet } = await mountProtocolBridge({ servers: configs });
  const prepare = async (): Promise<void> => {
    writeData(folder, memoryFile);
    for (const query of databaseStatements()) await called(box, "sqlite__executeQuery", { query });
  };
  try {
    const workflows: MeasuredWorkflow[] = [];
    for (const each of WORKFLOWS)
      workflows.push(await measureOne(each.task, workflowIn(folder, each), box, prepare));
    return { tools: box.descriptors().length, workflows };
  } finally {
    await fleet.tearDown();
  }
}

function configOf(server: FleetServer, scratch: Scratch, mark: string): ServerConfig {
  const { command, args, env, cwd } = launchOf(server, scratch, `${mark}-${server.name}.`);
  return { kind: "stdio", id: server.name, command, args: [...args], env: { ...env }, cwd };
}

async function measureOne(
  task: string,
  workflow: Workflow,
  box: ToolBox,
  prepare: () => Promise<void>,
): Promise<MeasuredWorkflow> {
  const rounds: { readonly [mode in WorkflowMode]: Effort[] } = { all: [], search: [], code: [] };
  let calls: readonly MadeCall[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await prepare();
    const ran = await asProgram(workflow, box);
    rounds.code.push(ran.effort);
    calls = ran.calls;
    bytes = ran.results.reduce((total, text) => total + Buffer.byteLength(text), 0);
    for (const mode of ["all", "search"] as const) {
      await prepare();
      const { effort, results } = await asCalls(mode, { ...workflow, answer: ran.answer, calls }, box);
      if (results.join("\n") !== ran.results.join("\n"))
        throw new Error(`${task}: the calls had other results in the mode ${mode}`);
      rounds[mode].push(effort);
    }
  }
  const median = (efforts: readonly Effort[]): Effort =>
    efforts.toSorted((a, b) => a.ms - b.ms)[Math.floor(efforts.length / 2)] as Effort;
  const efforts = { all: median(rounds.all), search: median(rounds.search), code: median(rounds.code) };
  return { task: task.replace(FOLDER, ""), calls: calls.length, bytes, efforts };
}

interface Ran {
  readonly effort: Effort;
  readonly answer: string;
  readonly calls: readonly MadeCall[];
  /** What the calls answered, in order. */
  readonly results: readonly string[];
}

async function asProgram({ task, searches, program }: Workflow, box: ToolBox): Promise<Ran> {
  const recorded = recordingBox(box);
  const coded = economize(recorded.box, { mode: "code" });
  const talk = new Conversation(coded, task);
  await talk.turn(searches.map((query) => ({ name: "tool_search", input: { query } })));
  recorded.start();
  const [answer = ""] = await talk.turn([{ name: "run_code", input: { code: program } }]);
  return { effort: talk.end(answer), answer, calls: recorded.calls, results: recorded.results };
}

interface Told extends Workflow {
  readonly answer: string;
  readonly calls: readonly MadeCall[];
}

async function asCalls(
  mode: "all" | "search",
  { task, searches, answer, calls }: Told,
  box: ToolBox,
): Promise<Pick<Ran, "effort" | "results">> {
  const offered = mode === "all" ? box : economize(box);
  const talk = new Conversation(offered, task);
  if (mode === "search")
    await talk.turn(searches.map((query) => ({ name: "tool_search", input: { query } })));
  const results: string[] = [];
  for (let turn = 0; ; turn++) {
    const now = calls.filter((each) => each.turn === turn);
    if (now.length === 0) return { effort: talk.end(answer), results };
    const asked = now.map(({ name, input }) =>
      mode === "all" ? { name, input } : { name: "tool_call", input: { name, arguments: input } },
    );
    results.push(...(await talk.turn(asked)));
  }
}

/** What a model reads and writes, counted. */
class Conversation {
  readonly #box: ToolBox;
  readonly #listed: number;
  #tokens = 0;
  #said: number;
  #turns = 0;
  #ms = 0;

  constructor(box: ToolBox, task: string) {
    this.#box = box;
    this.#listed = listCost(box.descriptors());
    this.#said = tokensOf(task);
  }

  /** The model makes calls at once, and gets their results. */
  async turn(calls: readonly Pick<ToolCall, "name" | "input">[]): Promise<readonly string[]> {
    this.#request(
      calls.reduce((total, { name, input }) => total + tokensOf(name + JSON.stringify(input)), 0),
    );
    const start = performance.now();
    const results = await Promise.all(calls.map(({ name, input }) => called(this.#box, name, input)));
    this.#ms += performance.now() - start;
    for (const result of results) this.#said += tokensOf(result);
    return results;
  }

  /** The model answers. */
  end(answer: string): Effort {
    this.#request(tokensOf(answer));
    return { turns: this.#turns, tokens: this.#tokens, ms: this.#ms };
  }

  #request(written: number): void {
    this.#turns += 1;
    this.#tokens += this.#listed + this.#said + written;
    this.#said += written;
  }
}

/** As `listCost` counts. */
function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

async function called(box: ToolBox, name: string, input: unknown): Promise<string> {
  const outcome = await box.runner.run({ id: "1", name, input });
  if (outcome.isError) throw new Error(`${name} failed: ${textOf(outcome)}`);
  return textOf(outcome);
}

/** What a model gets of a result. */
function textOf({ result }: ToolOutcome): string {
  return result.content
    .map((block) => (block.kind === "text" ? block.text : JSON.stringify(block.value)))
    .join("\n");
}

/** Notes the calls that a program makes. A call that starts before one of its turn has ended belongs to that turn. */
export function recordingBox(box: ToolBox): {
  readonly box: ToolBox;
  readonly calls: MadeCall[];
  readonly results: string[];
  start(): void;
} {
  const calls: MadeCall[] = [];
  const results: string[] = [];
  let turn = -1;
  let hasEnded = true;
  const recording: ToolBox = {
    ...box,
    descriptors: () => box.descriptors(),
    runner: {
      run: async (call, signal, caller) => {
        if (hasEnded) turn += 1;
        hasEnded = false;
        const at = calls.push({ name: call.name, input: call.input, turn }) - 1;
        const outcome = await box.runner.run(call, signal, caller);
        hasEnded = true;
        results[at] = textOf(outcome);
        return outcome;
      },
    },
  };
  const start = (): void => {
    calls.length = results.length = 0;
    turn = -1;
  };
  return { box: recording, calls, results, start };
}
