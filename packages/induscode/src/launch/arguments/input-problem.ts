import { explainMismatch, type JsonSchema, toolSignature } from "indusagi/llm";

type Members = { readonly [name: string]: unknown };

interface CheckedTool {
  readonly name: string;
  readonly parameters: JsonSchema;
}

/**
 * Why arguments do not match a tool's schema, with the arguments that the tool takes; undefined if they match. A schema that
 * says nothing about other properties accepts them, but from a person such a name is a typo.
 */
export function inputProblem({ name, parameters }: CheckedTool, input: Members): string | undefined {
  const surplus = describesAllMembers(parameters)
    ? Object.keys(input).find((member) => !Object.hasOwn(propertiesOf(parameters), member))
    : undefined;
  const problem =
    surplus === undefined
      ? explainMismatch(parameters, input)
      : `${JSON.stringify(surplus)} is not an argument of this tool`;
  return problem === undefined
    ? undefined
    : `${name}: ${problem}; it takes: ${toolSignature({ name, parameters })}`;
}

/** Keywords that can describe more members than `properties` names. */
const OTHER_SOURCES = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"];

function describesAllMembers(schema: JsonSchema): boolean {
  const { additionalProperties } = schema;
  if (OTHER_SOURCES.some((keyword) => schema[keyword] !== undefined)) return false;
  if (additionalProperties !== undefined) return additionalProperties === false;
  return Object.keys(propertiesOf(schema)).length > 0;
}

function propertiesOf({ properties }: JsonSchema): Members {
  return isMembers(properties) ? properties : {};
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
