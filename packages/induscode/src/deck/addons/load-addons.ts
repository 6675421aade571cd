import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ToolContext } from "indusagi/capabilities";
import { describeError, errorCode, isRecord, untilAborted } from "indusagi/core";
import type { JsonSchema } from "indusagi/llm";
import {
  abortedOutcome,
  answeredOutcome,
  failureResult,
  layerBox,
  type ToolBox,
  type ToolCall,
  type ToolLayer,
  type ToolOutcome,
  type ToolResult,
  textResult,
} from "indusagi/runtime";
import { defineCard } from "../cards/define-card.ts";
import type { Capability } from "../contract/index.ts";

/** A tool that an addon adds. */
interface AddonTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. Default: any object. */
  readonly parameters?: JsonSchema;
  /** True: it changes nothing, so it runs without a question, also in plan mode. Default false. */
  readonly readOnly?: boolean;
  /** A text is a result with that text. */
  run(input: unknown, ctx: ToolContext): Promise<ToolResult | string> | ToolResult | string;
}

/** What an addon sees of a call. */
interface AddonCall {
  /** The name of the tool, as a model calls it. */
  readonly name: string;
  readonly input: unknown;
  /** The tool of a server that is called. Absent for our own. */
  readonly origin?: { readonly server: string; readonly tool: string };
}

/** Runs a call. `next` runs the tool, or the next addon, with other arguments if it is given some. */
type AroundCall = (
  call: AddonCall,
  next: (input?: unknown) => Promise<ToolResult>,
  signal: AbortSignal,
) => Promise<ToolResult> | ToolResult;

/** What a file in the folder of addons exports. */
interface Addon {
  readonly tools?: readonly AddonTool[];
  readonly around?: AroundCall;
}

export interface LoadedAddons {
  /** The tools of all addons. */
  readonly tools: readonly Capability[];
  /** Puts the interceptors of all addons around a box, the first file outermost. */
  around(box: ToolBox): ToolBox;
}

/**
 * Loads the addons of a folder: the files `*.mjs`, in the order of their names. They run with the rights of the user, so only files
 * that nobody else may change are loaded. One that cannot be used is reported, and the others are used.
 */
export async function loadAddons(folder: string, report: (message: string) => void): Promise<LoadedAddons> {
  const loaded: { readonly name: string; readonly addon: Addon }[] = [];
  for (const name of addonFiles(folder, report)) {
    try {
      const addon = await loadAddon(join(folder, name));
      loaded.push({ name, addon });
    } catch (thrown) {
      report(`addon ${name} is not used: ${describeError(thrown)}`);
    }
  }
  const around = loaded.flatMap(({ name, addon }) => (addon.around ? [{ name, around: addon.around }] : []));
  return {
    tools: loaded.flatMap(({ name, addon }) => (addon.tools ?? []).map((tool) => toolOf(name, tool))),
    // The last one first, so the first is outermost.
    around: (box) => around.reduceRight((inner, each) => withInterceptor(inner, each), box),
  };
}

function addonFiles(folder: string, report: (message: string) => void): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".mjs"))
      .sort();
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT")
      report(`the addons in ${folder} are not used: ${describeError(thrown)}`);
    return [];
  }
}

async function loadAddon(file: string): Promise<Addon> {
  for (const path of [dirname(file), file]) requireOwn(path);
  const { tools, around } = (await import(pathToFileURL(file).href)) as {
    readonly [name: string]: unknown;
  };
  if (tools === undefined && around === undefined) throw new Error("it exports neither `tools` nor `around`");
  if (around !== undefined && typeof around !== "function") throw new Error("its `around` is not a function");
  if (tools !== undefined && !Array.isArray(tools)) throw new Error("its `tools` is not an array");
  const bad = ((tools ?? []) as readonly unknown[]).findIndex((tool) => !isAddonTool(tool));
  if (bad >= 0)
    throw new Error(
      `its tool ${bad + 1} needs a \`name\` of letters, digits, _ and -, a \`description\` and \`run\``,
    );
  return { tools: tools as readonly AddonTool[], around: around as AroundCall };
}

/** Throws unless the user alone may change it. Windows has neither owners nor modes of this kind. */
function requireOwn(path: string): void {
  if (process.getuid === undefined) return;
  const { uid, mode } = statSync(path);
  const isOwn = uid === process.getuid() || uid === 0;
  if (!isOwn) throw new Error(`${path} belongs to another user`);
  if (mode & 0o022) throw new Error(`others may change ${path}; chmod go-w it`);
}

function isAddonTool(value: unknown): value is AddonTool {
  if (!isRecord(value)) return false;
  const { name, description, run, parameters } = value;
  const isNamed = typeof name === "string" && /^[\w-]{1,64}$/.test(name);
  const hasSchema = parameters === undefined || isRecord(parameters);
  return isNamed && typeof description === "string" && typeof run === "function" && hasSchema;
}

function toolOf(addon: string, tool: AddonTool): Capability {
  const { name, description, parameters = { type: "object" }, readOnly = false } = tool;
  return defineCard({
    name,
    label: name,
    description,
    parameters,
    annotations: { readOnlyHint: readOnly },
    run: async (input, ctx) => {
      try {
        return checked(await tool.run(input, ctx));
      } catch (thrown) {
        if (ctx.signal.aborted) throw thrown;
        return failureResult(`addon ${addon} failed: ${describeError(thrown)}`);
      }
    },
  });
}

function withInterceptor(
  box: ToolBox,
  { name, around }: { readonly name: string; readonly around: AroundCall },
): ToolBox {
  const call: NonNullable<ToolLayer["call"]> =
    ({ descriptor, run }) =>
    async (given, signal = new AbortController().signal, caller) => {
      const seen: AddonCall = {
        name: descriptor.name,
        input: given.input,
        ...(descriptor.origin && { origin: descriptor.origin }),
      };
      let outcome: ToolOutcome | undefined;
      const next = async (input: unknown = given.input): Promise<ToolResult> => {
        outcome = await run(withInput(given, input), signal, caller);
        return outcome.result;
      };
      try {
        const result = checked(await untilAborted(Promise.resolve(around(seen, next, signal)), signal));
        // Unchanged: the outcome may hold more than its result.
        return outcome?.result === result ? outcome : answeredOutcome(given.id, result);
      } catch (thrown) {
        if (signal.aborted) return abortedOutcome(given.id, given.name, outcome !== undefined);
        return answeredOutcome(given.id, failureResult(`addon ${name} failed: ${describeError(thrown)}`));
      }
    };
  return layerBox(box, { call });
}

function withInput(call: ToolCall, input: unknown): ToolCall {
  return input === call.input ? call : { ...call, input };
}

function checked(result: ToolResult | string): ToolResult {
  if (typeof result === "string") return textResult(result);
  if (isRecord(result) && Array.isArray(result.content)) return result;
  throw new Error("it returned neither a text nor a result with `content`");
}
