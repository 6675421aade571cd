import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/server";
import {
  createBoundedPatterns,
  isRecord,
  loadLinearRegex,
  type MatchPattern,
} from "../../../core/internal.ts";
import {
  explainMismatch,
  explainPatternMismatch,
  type PlainFit,
  plainFitOf,
} from "../../../llm/arguments/index.ts";
import type { JsonSchema } from "../../../llm/index.ts";
import { KEYWORD_GROUPS, keywordsWhere, mapChildSchemas } from "../../../llm/internal.ts";

const checks = new WeakMap<JsonSchema, Check>();
const plainFits = new WeakMap<JsonSchema, PlainFit>();
const UNDECIDED: PlainFit = () => false;

/** Whether arguments certainly fit, found without the validator. False means that `checkArguments` must decide. */
export function fitsPlainly(schema: JsonSchema, input: unknown): boolean {
  let fits = plainFits.get(schema);
  if (!fits) {
    fits = plainFitOf(schema) ?? UNDECIDED;
    plainFits.set(schema, fits);
  }
  return fits(input);
}

/**
 * Checks arguments against a tool's schema: one line about what does not fit, or `undefined`. If the validator cannot
 * use the schema, for example because of an unresolvable reference, nothing is checked and the tool is called.
 *
 * The schema may come from an untrusted server. So patterns are matched by the linear engine or not at all, `format`
 * and `uniqueItems` are not checked, and a check that takes too many steps is given up.
 */
export async function checkArguments(schema: JsonSchema, input: unknown): Promise<string | undefined> {
  try {
    const check = checks.get(schema) ?? (await createCheck(schema));
    checks.set(schema, check);
    const { valid, errorMessage } = check.validate(input);
    if (!valid) return explainMismatch(schema, input) ?? briefly(errorMessage);
    return check.startPatterns && explainPatternMismatch(schema, input, check.startPatterns());
  } catch {
    return undefined;
  }
}

/** The compiled form of one schema. */
interface Check {
  readonly validate: JsonSchemaValidator<unknown>;
  /** Absent if the schema has no patterns. */
  readonly startPatterns?: () => MatchPattern;
}

async function createCheck(schema: JsonSchema): Promise<Check> {
  const validator = await loadValidator();
  // The validator adds members to the schema, so it gets a copy.
  const copy = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  const { schema: limited, restart } = withStepLimit(checkableSchema(copy));
  const check = validator.getValidator<unknown>(limited);
  const validate: typeof check = (input) => {
    restart();
    return check(input);
  };
  if (!hasPatterns(schema)) return { validate };
  const patterns = createBoundedPatterns(await loadLinearRegex());
  return { validate, startPatterns: () => patterns.startCheck() };
}

let loading: Promise<jsonSchemaValidator> | undefined;

/** Loaded with the first call: importing this package loads no MCP library. */
function loadValidator(): Promise<jsonSchemaValidator> {
  loading ??= import("@modelcontextprotocol/server/validators/cf-worker").then(
    ({ CfWorkerJsonSchemaValidator }) => new CfWorkerJsonSchemaValidator(),
  );
  return loading;
}

/** Limit for a message of the validator. */
const MAX_MESSAGE_CHARS = 300;

/**
 * `#: Property "a" does not match schema.; #/a: 0 is less than 1.` reports one problem twice; the second part is the
 * reason.
 */
function briefly(errorMessage: string): string {
  const parts = errorMessage.split(/; (?=#)/).filter((part) => !/^#.* does not match schema\.$/.test(part));
  const words = parts.join("; ");
  return words.length > MAX_MESSAGE_CHARS ? `${words.slice(0, MAX_MESSAGE_CHARS)}…` : words;
}

const COSTLY = keywordsWhere(({ isCostly }) => isCostly);
const REFERENCES = keywordsWhere(({ role }) => role === "reference");

/** What must be removed when the schema of a keyword becomes looser: `not: {}` would accept nothing. */
const DEPENDENT: readonly (readonly [keyword: string, ...others: string[]])[] = [
  ["not"],
  ...KEYWORD_GROUPS,
  ["patternProperties", "additionalProperties"],
];

/**
 * A schema without costly keywords, for a validator. It accepts everything that the given schema accepts; what was
 * removed is checked elsewhere or not at all. A schema that has none of them is returned as it is.
 */
function checkableSchema(schema: JsonSchema): JsonSchema {
  return hasMember(schema, COSTLY) ? (loosen(schema).schema as JsonSchema) : schema;
}

const PATTERNS: ReadonlySet<string> = new Set(["pattern", "patternProperties"]);

/** Also true if only a property has such a name. */
function hasPatterns(schema: JsonSchema): boolean {
  return hasMember(schema, PATTERNS);
}

function hasMember(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) => (!Array.isArray(value) && names.has(name)) || hasMember(inner, names),
  );
}

interface Loosened {
  readonly schema: unknown;
  /** It may accept more than before. */
  readonly isLooser: boolean;
}

function loosen(schema: unknown): Loosened {
  if (!isRecord(schema)) return { schema, isLooser: false };
  const looser = new Set<string>();
  const inner = mapChildSchemas(schema, (child, keyword) => {
    const loosened = loosen(child);
    if (loosened.isLooser) looser.add(keyword);
    return loosened.schema;
  });
  const kept = new Map(Object.entries(inner));
  for (const keyword of kept.keys()) {
    // What counts as evaluated depends on every keyword that may have been removed.
    const isRemoved = COSTLY.has(keyword) || keyword.startsWith("unevaluated");
    if (isRemoved) kept.delete(keyword);
    if (isRemoved || REFERENCES.has(keyword)) looser.add(keyword);
  }
  for (const [keyword, ...others] of DEPENDENT)
    if (looser.has(keyword)) for (const name of [keyword, ...others]) kept.delete(name);
  // More branches may now match than the one.
  if (looser.has("oneOf")) {
    const allOf = kept.get("allOf");
    kept.set("allOf", [...(Array.isArray(allOf) ? allOf : []), { anyOf: kept.get("oneOf") }]);
    kept.delete("oneOf");
  }
  for (const keyword of NOT_APPLIED) looser.delete(keyword);
  return { schema: Object.fromEntries(kept), isLooser: looser.size > 0 };
}

/** Definitions apply only where a reference names them, which counts as looser itself; `contentSchema` never applies. */
const NOT_APPLIED = ["$defs", "definitions", "contentSchema"];

/** References can apply a small schema 2^n times to one value. A step takes a few microseconds. */
const MAX_STEPS = 200_000;

interface LimitedSchema {
  readonly schema: JsonSchema;
  /** Call it before each check. */
  readonly restart: () => void;
}

/**
 * Makes a validator throw when it applies more schemas in one check than allowed. A validator reads the `type` of each
 * schema that it applies, so that is where the steps are counted. Changes the given schema, which must be plain JSON.
 */
function withStepLimit(schema: JsonSchema): LimitedSchema {
  let stepsLeft = MAX_STEPS;
  const count = (): void => {
    stepsLeft -= 1;
    if (stepsLeft < 0) throw new RangeError("the check takes too many steps");
  };
  countReads(schema, count);
  return { schema, restart: () => void (stepsLeft = MAX_STEPS) };
}

function countReads(value: unknown, count: () => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) countReads(inner, count);
  if (Array.isArray(value)) return;
  const type: unknown = Object.hasOwn(value, "type")
    ? (value as { readonly type?: unknown }).type
    : undefined;
  Object.defineProperty(value, "type", {
    enumerable: Object.hasOwn(value, "type"),
    get: () => {
      count();
      return type;
    },
  });
}
