import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mintUlid } from "indusagi/core";
import type { ModelPort } from "indusagi/llm";
import { answeredOutcome, createTableBox, textResult } from "indusagi/runtime";
import { createSession, readTranscript, type Session, type SessionParts } from "induscode/conductor";
import { effectOf } from "induscode/deck";
import { createPolicy } from "induscode/policy";
import type { BenchCase } from "./case.ts";
import { type Figure, figureOf, ratioOf, type Variant } from "./measure.ts";

const bin = fileURLToPath(new URL("../packages/induscode/bin/indus.js", import.meta.url));
const bare = fileURLToPath(new URL("session/bare-ai.mjs", import.meta.url));

async function inFolder<Result>(measure: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
  try {
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Measures until a request arrives; the program is ended then. */
async function firstRequests(folder: string): Promise<Figure> {
  let arrived = (): void => {};
  const server = createServer(() => arrived());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { NODE_EXTRA_CA_CERTS: _ignored, ...plain } = process.env;
  const env = {
    ...plain,
    XDG_STATE_HOME: folder,
    XDG_CONFIG_HOME: folder,
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: "x",
  };
  const program = (name: string, args: readonly string[]): Variant => {
    let ended: Promise<unknown> = Promise.resolve();
    return {
      name,
      prepare: () => ended,
      run: async () => {
        const request = new Promise<void>((resolve) => (arrived = resolve));
        const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
        ended = once(child, "close");
        await Promise.race([request, ended]);
        child.kill("SIGKILL");
      },
    };
  };
  try {
    const ours = program("indus -p", [bin, "-p", "--model", "openai-compatible/some-model", "Hello"]);
    return await ratioOf(ours, program("ai", [bare]), { rounds: 15 });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A model that calls a tool a number of times and then answers. */
function callingModel(steps: number): ModelPort {
  let asked = 0;
  return {
    id: "bench/model",
    async *stream() {
      asked++;
      if (asked % (steps + 1) !== 0)
        yield {
          kind: "part",
          part: { kind: "tool_call", id: `c${asked}`, name: "noop", input: { number: asked } },
        };
      else yield { kind: "part", part: { kind: "text", text: "done" } };
      yield { kind: "finish", reason: asked % (steps + 1) === 0 ? "stop" : "tool_calls" };
    },
  };
}

function benchSession(folder: string, steps: number, earlier?: SessionParts["earlier"]): Session {
  const id = mintUlid();
  const path = earlier ? folder : join(folder, id);
  mkdirSync(path, { recursive: true });
  const descriptor = {
    name: "noop",
    description: "Does nothing.",
    parameters: { type: "object", properties: { number: { type: "integer" } } },
    annotations: { readOnlyHint: true },
  };
  const { box } = createTableBox([
    { descriptor, run: async (call) => answeredOutcome(call.id, textResult(`answer ${"x".repeat(400)}`)) },
  ]);
  const policy = createPolicy({ cwd: folder, effectOf });
  const model = callingModel(steps);
  return createSession({
    id,
    cwd: folder,
    folder: path,
    box,
    policy,
    readOnlyPolicy: policy,
    models: { open: () => model, windowTokens: () => 10_000_000 },
    model: model.id,
    brief: () => "You are a bench.",
    writePlan: () => "",
    ...(earlier && { earlier }),
  });
}

async function turn(session: Session): Promise<void> {
  for await (const event of session.send("Go on."))
    if (event.kind === "end" && event.reason !== "stop")
      throw new Error(`the turn ended with ${event.reason}`);
}

const STEPS = 30;

/** Milliseconds per step, without the model and the tool, which take none. */
async function stepTimes(folder: string): Promise<Figure> {
  const samples: number[] = [];
  for (let round = 0; round < 12; round++) {
    const session = benchSession(folder, STEPS);
    const start = performance.now();
    await turn(session);
    samples.push((performance.now() - start) / (STEPS + 1));
    await session.close();
  }
  return figureOf(samples.slice(1)); // The first one loads the loop.
}

const TURNS = 200;
const CALLS = 4;

/** Milliseconds to read the transcript of a session and to open it again. */
async function resumeTimes(folder: string): Promise<Figure> {
  const first = benchSession(folder, CALLS);
  for (let count = 0; count < TURNS; count++) await turn(first);
  await first.close();
  const path = join(folder, first.id);
  const samples: number[] = [];
  for (let round = 0; round < 11; round++) {
    const start = performance.now();
    const session = benchSession(path, CALLS, readTranscript(path));
    samples.push(performance.now() - start);
    if (session.turns().length !== TURNS) throw new Error("turns are missing");
    await session.close();
  }
  return figureOf(samples);
}

export const sessionCases: readonly BenchCase[] = [
  {
    id: "session-first-request",
    summary: "indus -p until its first request / a bare script with ai",
    measure: () => inFolder(firstRequests),
  },
  {
    id: "session-step",
    summary: "milliseconds that a session adds to one step of the loop, with its transcript on the disk",
    measure: () => inFolder(stepTimes),
  },
  {
    id: "session-resume",
    summary: `milliseconds to open a transcript of ${TURNS} turns with ${CALLS} calls each`,
    measure: () => inFolder(resumeTimes),
  },
];
