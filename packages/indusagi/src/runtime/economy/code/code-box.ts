import { explainMismatch, type ToolDescriptor } from "../../../llm/index.ts";
import { openResultReader } from "../../agent/results/result-store.ts";
import { layerBox, type Tool } from "../../box/index.ts";
import { toolsOf } from "../../box/table-box.ts";
import { argumentsOf } from "../../call-arguments.ts";
import type { ToolBox, ToolCall, ToolResult, ToolRunner } from "../../contract/index.ts";
import { answeredOutcome, failureResult, textResult } from "../../results.ts";
import { RUN_CODE, TOOL_SEARCH } from "../own-tools.ts";
import { CODE_SEARCH_PARAMETERS, CODE_SEARCH_TOOL, RUN_CODE_PARAMETERS, runCodeTool } from "./code-tools.ts";
import type { ProgramLimits } from "./limits.ts";
import { RecentResults } from "./recent-results.ts";
import type { ProgramListing } from "./run-code.ts";
import { toolApi } from "./tool-api.ts";

/** Options of code mode. */
export interface CodeOptions {
  /** Limits of one program that differ from the defaults. */
  readonly limits?: Partial<ProgramLimits>;
  /**
   * How much of a program's result is returned; the rest is kept for `read_result`. `whole`: everything, because whoever uses the box
   * shortens results. Default: 20,000 characters.
   */
  readonly resultChars?: number | "whole";
  /** How a call of a function waits for a server that has not listed its tools. Default: it does not wait. */
  readonly listing?: ProgramListing | undefined;
}

export interface CodeBoxParts {
  readonly code: CodeOptions;
  /** Tools that are listed besides the two of this mode. */
  readonly isListed: (tool: ToolDescriptor) => boolean;
  /** The tools that fit a query, the best first, or why there are none. */
  readonly search: (
    query: string,
    server: string | undefined,
  ) => Promise<readonly ToolDescriptor[] | { readonly problem: string }>;
}

const DEFAULT_RESULT_CHARS = 20_000;

/** A box that lists a search for functions and the tool that runs programs with them. */
export function codeBox(box: ToolBox, parts: CodeBoxParts): ToolBox {
  const { resultChars = DEFAULT_RESULT_CHARS } = parts.code;
  const results = resultChars === "whole" ? undefined : new RecentResults(resultChars);
  const runOwn: ToolRunner["run"] = async (call, signal, caller) => {
    if (call.name === TOOL_SEARCH) return answeredOutcome(call.id, await searchAnswer(box, parts, call));
    const { code } = argumentsOf(call, RUN_CODE_PARAMETERS) as { readonly code?: unknown };
    if (typeof code !== "string" || code.trim() === "")
      return answeredOutcome(call.id, failureResult(`${RUN_CODE}: code: the program is missing`));
    // Loaded by the first program.
    const { runCode } = await import("./run-code.ts");
    const outcome = await runCode({
      box,
      call,
      code,
      signal,
      caller,
      limits: parts.code.limits ?? {},
      listing: parts.code.listing,
    });
    return results && !outcome.fault ? results.shorten(outcome) : outcome;
  };
  const reader: Tool[] = [];
  let listAgain = (): void => {};
  if (results)
    void openResultReader(results, DEFAULT_RESULT_CHARS).then((each) => {
      reader.push(...toolsOf(each));
      listAgain();
    });
  let own: readonly Tool[] = [];
  const ownTools = (descriptors: readonly ToolDescriptor[]): readonly Tool[] => {
    // They stay the same tools while the namespaces do.
    if (own[1]?.descriptor.description !== descriptors[1]?.description)
      own = descriptors.map((descriptor) => ({ descriptor, run: runOwn }));
    return own;
  };
  return layerBox(box, {
    list: (tools) => {
      const isOther = ({ descriptor }: Tool): boolean =>
        !OWN.has(descriptor.name) && parts.isListed(descriptor);
      return [...ownTools(ownDescriptors(box.descriptors())), ...reader, ...tools.filter(isOther)];
    },
    missing: (next) => (call, signal, caller) => (OWN.has(call.name) ? runOwn : next)(call, signal, caller),
    onListChange: (listener) => void (listAgain = listener),
  });
}

/** The two tools of this mode. */
export function ownDescriptors(tools: readonly ToolDescriptor[]): readonly ToolDescriptor[] {
  return [CODE_SEARCH_TOOL, runCodeTool([...toolApi(tools).namespaces].sort())];
}

const OWN: ReadonlySet<string> = new Set([TOOL_SEARCH, RUN_CODE]);

interface Asked {
  readonly query?: string;
  readonly server?: string;
  readonly names?: readonly string[];
}

/** Functions that are declared, and those that are only named. */
const MAX_DECLARED = 10;
const MAX_NAMED = 30;

async function searchAnswer(box: ToolBox, { search }: CodeBoxParts, call: ToolCall): Promise<ToolResult> {
  const given = argumentsOf(call, CODE_SEARCH_PARAMETERS) as Asked;
  const mismatch = explainMismatch(CODE_SEARCH_PARAMETERS, given);
  if (mismatch !== undefined) return failureResult(`${TOOL_SEARCH}: arguments do not fit: ${mismatch}`);
  const { query, server, names } = given;
  if (names !== undefined && names.length > 0) return namedFunctions(box, names);
  if (query === undefined) return failureResult(`${TOOL_SEARCH}: give a query, or names`);
  const api = toolApi(box.descriptors());
  // The model knows servers by their namespaces.
  const found = await search(query, server === undefined ? undefined : api.serverOf(server) || server);
  if ("problem" in found) return failureResult(found.problem);
  const { declareTools } = await import("./declarations.ts");
  const { text, others } = declareTools(found.slice(0, MAX_DECLARED), api);
  const named = [...others, ...found.slice(MAX_DECLARED, MAX_DECLARED + MAX_NAMED)].flatMap((tool) => {
    const name = api.nameOf(tool);
    return name ? [`${name.namespace}.${name.name}`] : [];
  });
  const rest = named.length === 0 ? "" : `\nLess likely: ${named.join(", ")}`;
  return textResult(`${HEADING}\n${text}${rest}`);
}

const HEADING = `Functions for ${RUN_CODE}, the best first. Promise<unknown>: the tool declares no result type; most answer with text (a string).`;

async function namedFunctions(box: ToolBox, names: readonly string[]): Promise<ToolResult> {
  const { declareTools } = await import("./declarations.ts");
  const tools = box.descriptors();
  const api = toolApi(tools);
  const found = new Set<ToolDescriptor>();
  const problems: string[] = [];
  for (const each of names.slice(0, MAX_DECLARED)) {
    const [namespace = "", ...rest] = each.split(".");
    const tool = api.find(namespace, rest.join(".")) ?? tools.find(({ name }) => name === each);
    const refusalOf = (name: string) => box.refusalOf?.(name);
    const missing = api.missingName(namespace, rest.join("."), (name) => refusalOf(name) !== undefined);
    const refusal = refusalOf(each) ?? refusalOf(missing);
    if (tool) found.add(tool);
    else problems.push(refusal?.message ?? `there is no function ${JSON.stringify(each)}`);
  }
  const { text, others } = declareTools([...found], api, { isWhole: true });
  if (others.length > 0) problems.push(`${others.length} more do not fit; ask for them separately`);
  const answer = [text, ...problems].filter(Boolean).join("\n");
  return found.size > 0 ? textResult(answer) : failureResult(answer);
}
