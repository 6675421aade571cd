import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type TempDir, tempDir } from "@indus/testkit";
import { openRun, type Run } from "../../../src/boot/internal.ts";
import { COMMANDS, runCommand } from "../../../src/commands/index.ts";
import { parseArguments } from "../../../src/launch/internal.ts";
import { type ModelServer, startModelServer } from "../../models/wire/model-server.ts";
import type { ScriptedAnswer } from "../../models/wire/script.ts";

/** One model of each wire. */
export const MODELS = [
  "openai-compatible/some-model",
  "anthropic/claude-sonnet-4-5",
  "google/gemini-2.5-pro",
] as const;

/** A project and a scripted model; command lines run in this process. */
export interface PrintRun extends AsyncDisposable {
  readonly server: ModelServer;
  readonly project: string;
  readonly env: { readonly [name: string]: string };
  at(...parts: readonly string[]): string;
  read(name: string): string;
  /** Runs `indus` with these words in the project. */
  indus(
    words: readonly string[],
    options?: {
      readonly piped?: string;
      readonly signal?: AbortSignal;
      readonly onOut?: (text: string) => void;
      /** Beside the variables of the run. */
      readonly env?: { readonly [name: string]: string };
    },
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** A run in the project, as a front end uses it. */
  run(signal?: AbortSignal, env?: PrintRun["env"]): Promise<Run>;
}

export async function printRun(
  answers: readonly ScriptedAnswer[],
  files: { readonly [name: string]: string } = {},
): Promise<PrintRun> {
  const dir: TempDir = await tempDir();
  const server = await startModelServer(answers);
  const project = dir.at("project");
  mkdirSync(project);
  for (const [name, text] of Object.entries(files)) writeFileSync(dir.at("project", name), text);
  const { url } = server;
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: dir.at("home"),
    XDG_STATE_HOME: dir.at("state"),
    XDG_CONFIG_HOME: dir.at("config"),
    INDUS_MODEL: MODELS[0],
    INDUS_CONTEXT_TOKENS: "200000",
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: "good",
    ANTHROPIC_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: "good",
    GOOGLE_BASE_URL: `${url}/v1beta`,
    GOOGLE_GENERATIVE_AI_API_KEY: "good",
  };
  const { signal: never } = new AbortController();
  return {
    server,
    project,
    env,
    at: (...parts) => dir.at(...parts),
    read: (name) => readFileSync(dir.at("project", name), "utf8"),
    indus: async (words, { piped, signal = never, onOut, env: more } = {}) => {
      const texts = { out: "", err: "" };
      const out = (text: string | Uint8Array): void => {
        texts.out += String(text);
        onOut?.(String(text));
      };
      const err = (text: string): void => void (texts.err += text);
      const terminal = { out, err, ...(piped === undefined ? {} : { piped: async () => piped }) };
      try {
        const options = { terminal, signal, env: { ...env, ...more }, cwd: project };
        const code = await runCommand(parseArguments(words, COMMANDS), options);
        return { code, ...texts };
      } catch (thrown) {
        // The entry prints it so.
        return { code: 1, out: texts.out, err: `${texts.err}indus: ${(thrown as Error).message}\n` };
      }
    },
    run: (signal = never, given = env) =>
      openRun({ terminal: { out: () => {}, err: () => {} }, signal, cwd: project, env: given }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** An answer of the model that makes calls. */
export function calling(...calls: readonly (readonly [name: string, input: unknown])[]): ScriptedAnswer {
  return {
    calls: calls.map(([name, input], index) => ({ id: `call_${index}_${name.slice(0, 20)}`, name, input })),
  };
}
