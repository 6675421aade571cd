import { explainMismatch, type JsonSchema } from "indusagi/llm";

type Members = { readonly [name: string]: unknown };

interface CheckedTool {
  readonly name: string;
  readonly parameters: JsonSchema;
}

/**
 * Why arguments do not fit a tool's schema, with the arguments that the tool takes; undefined if they fit. A schema that
 * names its properties and does not mention others accepts them, but for a person such a name is a typing error.
 */
export function inputProblem({ name, parameters }: CheckedTool, input: Members): string | undefined {
  const surplus = describesAllMembers(parameters)
    ? Object.keys(input).find((member) => !Object.hasOwn(propertiesOf(parameters), member))
    : undefined;
  const problem =
    surplus === undefined
      ? explainMismatch(parameters, input)
      : `${JSON.stringify(surplus)} is not an argument of this tool`;
  return problem === undefined ? undefined : `${name}: ${problem}; it takes: ${signature(parameters)}`;
}

/** Keywords that can describe more members than `properties` names. */
const OTHER_SOURCES = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"];

function describesAllMembers(schema: JsonSchema): boolean {
  const { additionalProperties } = schema;
  if (OTHER_SOURCES.some((keyword) => schema[keyword] !== undefined)) return false;
  if (additionalProperties !== undefined) return additionalProperties === false;
  return Object.keys(propertiesOf(schema)).length > 0;
}

/** The arguments as a person types them; optional ones are in brackets. */
function signature(parameters: JsonSchema): string {
  const required = Array.isArray(parameters["required"]) ? parameters["required"] : [];
  const shown = Object.entries(propertiesOf(parameters)).map(([name, schema]) => {
    const form = `${name}=${typeShown(schema)}`;
    return required.includes(name) ? form : `[${form}]`;
  });
  return shown.join(" ") || "no arguments";
}

const MAX_VALUES = 8;

function typeShown(schema: unknown): string {
  if (!isMembers(schema)) return "any";
  const { type, enum: values, anyOf, oneOf } = schema;
  if (Array.isArray(values) && values.length > 0 && values.length <= MAX_VALUES)
    return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("|");
  if (typeof type === "string") return type;
  const types: readonly unknown[] = [type ?? anyOf ?? oneOf ?? []].flat();
  const names = types.map((each) => (typeof each === "string" ? each : typeShown(each)));
  return [...new Set(names)].join("|") || "any";
}

function propertiesOf({ properties }: JsonSchema): Members {
  return isMembers(properties) ? properties : {};
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
