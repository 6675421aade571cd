import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/server";
import { explainMismatch } from "../../../llm/arguments/index.ts";
import type { JsonSchema } from "../../../llm/index.ts";

type Check = JsonSchemaValidator<unknown>;

/** What the validator says when we have no words of our own is cut at this length. */
const MAX_WORDS = 300;

let loading: Promise<jsonSchemaValidator> | undefined;

/** Loaded with the first call, so that importing this package loads no MCP library. */
function loadValidator(): Promise<jsonSchemaValidator> {
  loading ??= import("@modelcontextprotocol/server/validators/cf-worker").then(
    ({ CfWorkerJsonSchemaValidator }) => new CfWorkerJsonSchemaValidator(),
  );
  return loading;
}

const checks = new WeakMap<JsonSchema, Check>();

/**
 * Whether arguments fit a tool's schema: one line that names what does not, nothing when all does. A schema the
 * validator cannot use, e.g. for a reference that leads nowhere, checks nothing: the tool works as before.
 */
export async function checkArguments(schema: JsonSchema, input: unknown): Promise<string | undefined> {
  const validator = await loadValidator();
  try {
    const check = checks.get(schema) ?? validator.getValidator<unknown>(affordable(schema));
    checks.set(schema, check);
    const { valid, errorMessage } = check(input);
    return valid ? undefined : (explainMismatch(schema, input) ?? briefly(errorMessage));
  } catch {
    return undefined;
  }
}

/** Without `uniqueItems`: the validator compares each with each, and a client could keep us busy for minutes. */
function affordable(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "uniqueItems" && value === true ? undefined : value,
  );
  return JSON.parse(text) as JsonSchema;
}

/** `#: Property "a" does not match schema.; #/a: 0 is less than 1.` says the same twice: the second is the reason. */
function briefly(errorMessage: string): string {
  const parts = errorMessage.split(/; (?=#)/).filter((part) => !/^#.* does not match schema\.$/.test(part));
  const words = parts.join("; ");
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
