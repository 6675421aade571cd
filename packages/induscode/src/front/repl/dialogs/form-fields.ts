import { coerceArguments, explainMismatch, type JsonSchema } from "indusagi/llm";

/** One question of a form. */
export interface FormField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** The allowed values, with their labels. */
  readonly choices?: readonly FieldChoice[] | undefined;
  /** Several of the choices may be given. */
  readonly isList: boolean;
}

interface FieldChoice {
  readonly value: string;
  readonly title: string;
}

type Members = { readonly [member: string]: unknown };

/** The questions of a form, in its order. Skips members whose schema is not an object. */
export function formFields(schema: JsonSchema): readonly FormField[] {
  const required: unknown = schema["required"];
  return Object.entries(Object(schema["properties"]) as Members).flatMap(([name, property]) => {
    if (typeof property !== "object" || property === null) return [];
    const own = property as JsonSchema;
    const isList = own["type"] === "array";
    const choices = choicesOf(isList ? (Object(own["items"]) as Members) : own);
    return [
      {
        name,
        schema: own,
        isRequired: Array.isArray(required) && required.includes(name),
        isList,
        choices,
      },
    ];
  });
}

/** Titled choices are constants under `oneOf` or `anyOf`; older servers send `enumNames` next to `enum`. */
function choicesOf(schema: Members): readonly FieldChoice[] | undefined {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled))
    return titled.flatMap((each) => {
      const { const: value, title } = Object(each) as Members;
      return typeof value === "string" ? [{ value, title: typeof title === "string" ? title : value }] : [];
    });
  const { enum: values, enumNames: names } = schema;
  if (!Array.isArray(values)) return undefined;
  return values
    .filter((value): value is string => typeof value === "string")
    .map((value, at) => {
      const title: unknown = Array.isArray(names) ? names[at] : undefined;
      return { value, title: typeof title === "string" ? title : value };
    });
}

/** A field's value, an empty optional field, or what is wrong. */
export type FieldValue =
  | { readonly value: unknown }
  | { readonly isEmpty: true }
  | { readonly problem: string };

/** Parses what the user typed. An empty answer means the default. A choice can be given by its number. */
export function readField(field: FormField, typed: string): FieldValue {
  const { name, schema, isRequired, choices, isList } = field;
  const text = typed.trim();
  if (text === "") {
    if (schema["default"] !== undefined) return { value: schema["default"] };
    return isRequired ? { problem: "an answer is needed" } : { isEmpty: true };
  }
  const chosen = (word: string): string => choices?.[Number(word) - 1]?.value ?? word;
  const words = isList ? text.split(",").map((word) => chosen(word.trim())) : undefined;
  const plain = schema["type"] === "boolean" ? booleanText(text) : chosen(text);
  const wrapped = { type: "object", properties: { [name]: schema } };
  const coerced = coerceArguments(wrapped, { [name]: words ?? plain }) as Members;
  const known = choices?.map(({ value }) => value);
  const unknown = known && (words ?? [plain]).find((word) => !known.includes(word));
  if (unknown !== undefined) return { problem: `choose one of ${known?.join(", ")}` };
  const problem = explainMismatch(wrapped, coerced);
  return problem === undefined ? { value: coerced[name] } : { problem };
}

function booleanText(text: string): string {
  if (/^(y|yes)$/i.test(text)) return "true";
  return /^(n|no)$/i.test(text) ? "false" : text;
}
