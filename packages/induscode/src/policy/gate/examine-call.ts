import { resolve } from "node:path";
import type { ToolDescriptor } from "indusagi/llm";
import { argumentsOf, type ToolCall } from "indusagi/runtime";
import { COMMAND_TOOLS, type ToolEffect } from "../../deck/contract/index.ts";
import { type LineReading, readLine } from "../commands/plain-reader.ts";
import type { CallEffect, CommandLine } from "../decide/call-effect.ts";
import { baseAt, type LocatedPath, locateToolPath, type PathBase } from "../paths/locate.ts";
import { pathsOfCommand, pathsOfInput } from "../paths/mentioned-paths.ts";

/**
 * What a call may do, from its tool's descriptor and the arguments as the tool uses them: coerced, except for the tools of
 * servers. The deck exports one.
 */
export type EffectOf = (descriptor: ToolDescriptor, input: unknown) => ToolEffect;

export interface ExamineOptions {
  readonly effectOf: EffectOf;
  /** Whether to trust what a server says about its tools. */
  readonly isApproved: (server: string) => boolean;
  readonly base: PathBase;
  readonly platform: NodeJS.Platform;
}

/** Examines a call: determines its effect, finds its paths and follows their links. */
export function examineCall(
  descriptor: ToolDescriptor,
  call: Pick<ToolCall, "input">,
  { effectOf, isApproved, base, platform }: ExamineOptions,
): CallEffect {
  const { name: tool, origin } = descriptor;
  const { input } = call;
  const used = origin ? input : argumentsOf(call, descriptor.parameters);
  const declared = effectOf(descriptor, used);
  const readOnly = declared.readOnly && (!origin || isApproved(origin.server));
  const command = origin ? undefined : commandOf(tool, used, { base, platform });
  const paths = declared.paths?.flatMap((path) => locateToolPath(path, base));
  const mentions = readOnly ? [] : mentionsOf({ input, paths, command, base });
  return {
    tool,
    readOnly,
    input,
    origin,
    destructive: declared.destructive,
    // Only our own tools know whether they run in the sandbox.
    sandboxed: origin ? undefined : declared.sandboxed,
    paths,
    command,
    mentions: mentions.length > 0 ? mentions : undefined,
  };
}

interface Mentioning {
  readonly input: unknown;
  readonly paths: readonly LocatedPath[] | undefined;
  readonly command: CommandLine | undefined;
  readonly base: PathBase;
}

function mentionsOf({ input, paths, command, base }: Mentioning): LocatedPath[] {
  if (!command) return paths ? [] : pathsOfInput(input, base);
  const place = baseAt(command.cwd, base);
  const folder = place === base ? [] : [{ written: place.cwd, real: place.realCwd }];
  return [...folder, ...pathsOfCommand(command.text, place)];
}

function commandOf(
  tool: string,
  used: unknown,
  { base, platform }: Pick<ExamineOptions, "base" | "platform">,
): CommandLine | undefined {
  if (!COMMAND_TOOLS.has(tool)) return undefined;
  if (typeof used !== "object" || used === null) return undefined;
  const { command, cwd } = used as { readonly command?: unknown; readonly cwd?: unknown };
  if (typeof command !== "string") return undefined;
  const place = { session: base.cwd, cwd: typeof cwd === "string" ? resolve(base.cwd, cwd) : base.cwd };
  let reading: LineReading | undefined;
  return {
    ...place,
    text: command,
    // The other tools do not wait for the command.
    isReadable: tool === "bash" && platform !== "win32",
    // Reads the disk, so only on demand.
    get reading() {
      reading ??= readLine(command, place);
      return reading;
    },
  };
}
