import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/server";
import { createBoundedPatterns, loadLinearRegex, type MatchPattern } from "../../../core/internal.ts";
import {
  explainMismatch,
  explainPatternMismatch,
  type PlainFit,
  plainFitOf,
} from "../../../llm/arguments/index.ts";
import type { JsonSchema } from "../../../llm/index.ts";
import { checkableSchema, hasPatterns } from "./checkable-schema.ts";
import { withStepLimit } from "./step-limit.ts";

/** The compiled form of one schema. */
interface Check {
  readonly validate: JsonSchemaValidator<unknown>;
  /** Absent if the schema has no patterns. */
  readonly startPatterns?: () => MatchPattern;
}

/** Limit for a message of the validator. */
const MAX_CHARS = 300;

let loading: Promise<jsonSchemaValidator> | undefined;

/** Loaded with the first call, so that importing this package loads no MCP library. */
function loadValidator(): Promise<jsonSchemaValidator> {
  loading ??= import("@modelcontextprotocol/server/validators/cf-worker").then(
    ({ CfWorkerJsonSchemaValidator }) => new CfWorkerJsonSchemaValidator(),
  );
  return loading;
}

const checks = new WeakMap<JsonSchema, Check>();
const plainFits = new WeakMap<JsonSchema, PlainFit>();
const UNDECIDED: PlainFit = () => false;

/** Whether arguments certainly fit, found out without the validator. False means that `checkArguments` must decide. */
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

/**
 * `#: Property "a" does not match schema.; #/a: 0 is less than 1.` reports one problem twice; the second part is the
 * reason.
 */
function briefly(errorMessage: string): string {
  const parts = errorMessage.split(/; (?=#)/).filter((part) => !/^#.* does not match schema\.$/.test(part));
  const words = parts.join("; ");
  return words.length > MAX_CHARS ? `${words.slice(0, MAX_CHARS)}…` : words;
}
