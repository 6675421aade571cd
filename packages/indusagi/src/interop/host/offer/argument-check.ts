import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/server";
import { explainMismatch } from "../../../llm/arguments/index.ts";
import type { JsonSchema } from "../../../llm/index.ts";

type Check = JsonSchemaValidator<unknown>;

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

/**
 * Checks arguments against a tool's schema: one line about what does not fit, or `undefined`. If the validator cannot
 * use the schema, for example because of an unresolvable reference, nothing is checked and the tool is called.
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

/** Removes `uniqueItems`: the validator compares all pairs, and a client could keep it busy for minutes. */
function affordable(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === "uniqueItems" && value === true ? undefined : value,
  );
  return JSON.parse(text) as JsonSchema;
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
