import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type TempDir, tempDir } from "@indus/testkit";
import type { Terminal } from "../../src/boot/index.ts";
import { COMMANDS, runCommand } from "../../src/commands/index.ts";
import { parseArguments } from "../../src/launch/internal.ts";
import { FIXTURE_HOME } from "../servers/clients/client-fixtures.ts";

/** A home folder and a project of their own, in which commands run in this process. */
export interface ScratchHome extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly env: { readonly [name: string]: string };
  /** Runs a command line in the project. */
  indus(...words: readonly string[]): Promise<Ran>;
  /** The same, with a terminal that gives these answers. */
  indusAsked(answers: readonly string[], ...words: readonly string[]): Promise<Ran>;
  /** A path below the home folder. */
  at(...parts: readonly string[]): string;
  read(...parts: readonly string[]): string;
  write(path: string, content: string | object): string;
  exists(...parts: readonly string[]): boolean;
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly questions: readonly string[];
}

export interface ScratchOptions {
  /** Put the files of other clients into the home folder. */
  readonly withClients?: boolean;
  readonly env?: { readonly [name: string]: string };
}

export async function scratchHome(options: ScratchOptions = {}): Promise<ScratchHome> {
  const dir: TempDir = await tempDir();
  const home = dir.at("home");
  const project = dir.at("home", "site");
  mkdirSync(project, { recursive: true });
  if (options.withClients) cpSync(FIXTURE_HOME, home, { recursive: true });
  const env = { HOME: home, PATH: process.env["PATH"] ?? "", ...options.env };

  const run = async (words: readonly string[], answers?: readonly string[]): Promise<Ran> => {
    const texts = { out: "", err: "" };
    const questions: string[] = [];
    const left = [...(answers ?? [])];
    const terminal: Terminal = {
      out: (text) => void (texts.out += text),
      err: (text) => void (texts.err += text),
      ...(answers && {
        ask: async (question: string) => {
          questions.push(question);
          return left.shift();
        },
      }),
    };
    const signal = new AbortController().signal;
    const code = await runCommand(parseArguments(words, COMMANDS), { terminal, signal, env, cwd: project });
    return { code, ...texts, questions };
  };

  return {
    home,
    project,
    env,
    indus: (...words) => run(words),
    indusAsked: (answers, ...words) => run(words, answers),
    at: (...parts) => dir.at("home", ...parts),
    read: (...parts) => readFileSync(dir.at("home", ...parts), "utf8"),
    write: (path, content) => {
      const file = dir.at("home", path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
      return file;
    },
    exists: (...parts) => existsSync(dir.at("home", ...parts)),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
