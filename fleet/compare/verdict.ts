import { stringify } from "safe-stable-stringify";
import { type CallAnswer, isFailure, type Observed, type ToolDefinition } from "./observation.ts";

/** How what we pass on compares with what the official client gets directly. */
export type Verdict =
  /** The same JSON, byte for byte. */
  | { readonly kind: "equal" }
  /** It differs between two runs of the official client too. */
  | { readonly kind: "unsteady" }
  /** It differs only by a repair that every list needs which official clients must accept (decision 47). */
  | { readonly kind: "repaired"; readonly why: string }
  | { readonly kind: "different"; readonly why: string }
  /** There is nothing to compare: the list has no call, or the server does not start with the official client. */
  | { readonly kind: "none" };

export interface ServerVerdicts {
  readonly definitions: Verdict;
  readonly call: Verdict;
}

/** Two direct runs of the official client, and one of ours. */
export interface Comparison {
  readonly direct: readonly [Observed, Observed];
  readonly ours: Observed;
}

const NONE: Verdict = { kind: "none" };

export function compare({ direct, ours }: Comparison): ServerVerdicts {
  const [first, second] = direct;
  if (isFailure(first) || isFailure(second)) return { definitions: NONE, call: NONE };
  if (isFailure(ours)) {
    const missing: Verdict = { kind: "different", why: ours.failure };
    return { definitions: missing, call: first.answer ? missing : NONE };
  }
  return {
    definitions: orRepaired(
      verdictOf(first.tools, second.tools, ours.tools, firstToolDifference),
      first.tools,
      ours.tools,
    ),
    call:
      first.answer && second.answer
        ? verdictOf(
            withoutEra(first.answer),
            withoutEra(second.answer),
            withoutEra(ours.answer ?? NOT_CALLED),
            firstDifference,
          )
        : NONE,
  };
}

const NOT_CALLED: CallAnswer = { failure: "not called" };

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/**
 * Removes what the modern era adds to each result. With a server that knows both eras we speak the modern one, the official
 * client by default the legacy one.
 */
function withoutEra(answer: CallAnswer): CallAnswer {
  if (!("result" in answer) || !isBranch(answer.result) || answer.result["resultType"] !== "complete")
    return answer;
  const { resultType: _complete, _meta: meta, ...result } = answer.result;
  const { [SERVER_INFO]: _identity, ...others } = isBranch(meta) ? meta : {};
  return { result: { ...result, ...(Object.keys(others).length > 0 ? { _meta: others } : {}) } };
}

function verdictOf<Value>(
  first: Value,
  second: Value,
  ours: Value,
  explain: (theirs: Value, ours: Value) => string,
): Verdict {
  const text = JSON.stringify(ours);
  if (text === JSON.stringify(first) || text === JSON.stringify(second)) return { kind: "equal" };
  if (JSON.stringify(first) !== JSON.stringify(second)) return { kind: "unsteady" };
  return { kind: "different", why: explain(first, ours) };
}

function orRepaired(
  verdict: Verdict,
  theirs: readonly ToolDefinition[],
  ours: readonly ToolDefinition[],
): Verdict {
  if (verdict.kind !== "different") return verdict;
  const isRepaired = stringify(theirs.map(withRepairs)) === stringify(ours);
  return isRepaired ? { kind: "repaired", why: verdict.why } : verdict;
}

/** The two repairs of decision 47 that public servers need: an input schema has a type, an output schema no name. */
function withRepairs(tool: ToolDefinition): ToolDefinition {
  const { inputSchema, outputSchema } = tool as Branch;
  const { $id: _name, ...unnamed } = isBranch(outputSchema) ? outputSchema : {};
  return {
    ...tool,
    ...(isBranch(inputSchema) && { inputSchema: { type: "object", ...inputSchema } }),
    ...(isBranch(outputSchema) && { outputSchema: unnamed }),
  };
}

/** Missing and additional tools by name, else the first difference inside one. */
function firstToolDifference(theirs: readonly ToolDefinition[], ours: readonly ToolDefinition[]): string {
  const names = new Set(ours.map(({ name }) => name));
  const theirNames = new Set(theirs.map(({ name }) => name));
  const missing = [...theirNames].filter((name) => !names.has(name));
  const added = [...names].filter((name) => !theirNames.has(name));
  if (missing.length > 0) return `missing: ${someOf(missing)}`;
  if (added.length > 0) return `not listed directly: ${someOf(added)}`;
  return firstDifference(theirs, ours);
}

const MAX_NAMES = 3;

function someOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Where two JSON values differ first, and how, e.g. `[0].title: "a" became "b"`. */
export function firstDifference(theirs: unknown, ours: unknown, path = ""): string {
  if (!isBranch(theirs) || !isBranch(ours) || Array.isArray(theirs) !== Array.isArray(ours))
    return `${path || "the value"}: ${shown(theirs)} became ${shown(ours)}`;
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  for (const key of keys) {
    if (JSON.stringify(theirs[key]) === JSON.stringify(ours[key])) continue;
    return firstDifference(
      theirs[key],
      ours[key],
      Array.isArray(theirs) ? `${path}[${key}]` : `${path}.${key}`,
    );
  }
  return `${path || "the value"}: the same members in another order`;
}

interface Branch {
  readonly [key: string]: unknown;
}

function isBranch(value: unknown): value is Branch {
  return typeof value === "object" && value !== null;
}

const MAX_SHOWN = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
