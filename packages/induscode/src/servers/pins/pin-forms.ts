import { canonicalJson, isRecord } from "indusagi/core";
import type { ListedItem, ToolDefinition } from "indusagi/interop";
import { definitionForm, type ToolSelfDescription } from "../../deck/ledger/index.ts";

const PARTS = ["title", "description", "annotations", "inputSchema", "outputSchema"] as const;

/** The form of a tool. A part that is nested too deeply to compare is replaced by a remark. */
export function toolForm(definition: ToolDefinition): ToolSelfDescription {
  const form = definitionForm(definition);
  return isComparable(form)
    ? form
    : mapParts(form, (part) => (isComparable(part) ? part : "nested too deeply"));
}

/** A definition with the form in use. Members that are not part of a form stay. */
export function definitionIn(form: ToolSelfDescription, definition: ToolDefinition): ToolDefinition {
  const rest = Object.entries(definition).filter(([name]) => !PARTS.some((part) => part === name));
  const parts = PARTS.flatMap((part) => {
    // A part that was replaced by a remark is never put back.
    const value = form[part] === "nested too deeply" ? definition[part] : form[part];
    return value === undefined ? [] : [[part, value] as const];
  });
  return { name: definition.name, ...Object.fromEntries([...rest, ...parts]) };
}

/** The form of a prompt. Its arguments become a schema, so a new required one counts as for a tool. */
export function promptForm(prompt: ListedItem): ToolSelfDescription {
  const listed = argumentsOf(prompt);
  const properties = listed.map((each) => [String(each["name"]), withoutMembers(each, "name", "required")]);
  const required = listed.filter(({ required }) => required === true).map(({ name }) => String(name));
  return {
    title: prompt["title"],
    description: prompt["description"],
    annotations: undefined,
    inputSchema: { type: "object", properties: Object.fromEntries(properties), required },
    outputSchema: undefined,
  };
}

/** A prompt with the form in use. */
export function promptIn(form: ToolSelfDescription, prompt: ListedItem): ListedItem {
  const schema = isRecord(form.inputSchema) ? form.inputSchema : {};
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const listed = Object.entries(properties).map(([name, texts]) => ({
    name,
    ...(isRecord(texts) ? texts : {}),
    ...(required.includes(name) ? { required: true } : {}),
  }));
  return {
    ...withoutMembers(prompt, "title", "description", "arguments"),
    ...(form.title === undefined ? {} : { title: form.title }),
    ...(form.description === undefined ? {} : { description: form.description }),
    ...(prompt["arguments"] === undefined ? {} : { arguments: listed }),
  };
}

export function instructionsForm(text: string): ToolSelfDescription {
  return { ...NOTHING, description: text };
}

const NOTHING: ToolSelfDescription = {
  title: undefined,
  description: undefined,
  annotations: undefined,
  inputSchema: undefined,
  outputSchema: undefined,
};

function withoutMembers(members: ListedItem, ...names: readonly string[]): ListedItem {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function argumentsOf(prompt: ListedItem): readonly ListedItem[] {
  const listed: unknown = prompt["arguments"];
  return Array.isArray(listed) ? listed.filter(isRecord) : [];
}

function mapParts(form: ToolSelfDescription, change: (part: unknown) => unknown): ToolSelfDescription {
  const { title, description, annotations, inputSchema, outputSchema } = form;
  return {
    title: change(title),
    description: change(description),
    annotations: change(annotations),
    inputSchema: change(inputSchema),
    outputSchema: change(outputSchema),
  };
}

function isComparable(value: unknown): boolean {
  try {
    canonicalJson(value ?? null);
    return true;
  } catch {
    return false;
  }
}
