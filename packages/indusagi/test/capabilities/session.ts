import { type TempDir, tempDir } from "@indus/testkit";
import { type LocalContextOptions, toolBox } from "indusagi/capabilities";
import type { ToolOutcome } from "indusagi/runtime";
import { expect } from "vitest";

/** The native tools in a temporary folder, called through a box as a model does. */
export interface Session extends AsyncDisposable {
  readonly dir: TempDir;
  call(name: string, input: unknown, signal?: AbortSignal): Promise<ToolOutcome>;
  /** The text of a result that must be a success. */
  text(name: string, input: unknown): Promise<string>;
  /** The text of a result that must be a failure. */
  fails(name: string, input: unknown): Promise<string>;
}

export async function session(options: LocalContextOptions = {}): Promise<Session> {
  return sessionIn(await tempDir(), options);
}

/** Another session in the same folder. */
export function sessionIn(dir: TempDir, options: LocalContextOptions = {}): Session {
  const box = toolBox("all", dir.path, options);
  let calls = 0;
  const call: Session["call"] = (name, input, signal) =>
    box.runner.run({ id: `call-${++calls}`, name, input }, signal);
  const run = async (name: string, input: unknown, isError: boolean): Promise<string> => {
    const outcome = await call(name, input);
    const text = textOf(outcome);
    expect({ text, isError: outcome.isError }).toEqual({ text, isError });
    return text;
  };
  return {
    dir,
    call,
    text: (name, input) => run(name, input, false),
    fails: (name, input) => run(name, input, true),
    [Symbol.asyncDispose]: async () => {
      await box.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** The text blocks of an outcome. */
export function textOf(outcome: ToolOutcome): string {
  return outcome.result.content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}

/** The first json block of an outcome. */
export function dataOf(outcome: ToolOutcome): unknown {
  return outcome.result.content.find((block) => block.kind === "json")?.value;
}
