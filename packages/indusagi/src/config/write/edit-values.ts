import { canonicalJson } from "../../core/index.ts";
import { ConfigError, type ConfigPath } from "../contract.ts";
import { type JsonNode, plainValue, readJsonTree } from "../parse/json-tree.ts";
import { createLineIndex, quoted } from "../report.ts";
import { appendItem, applySplices, removeItem, replaceValue, type Splice } from "./splice-json.ts";

/** One value to set, or to remove if `value` is absent. A path that ends with the length of an array appends to it. */
export interface ConfigEdit {
  readonly path: ConfigPath;
  readonly value?: unknown;
}

/** The value of a text, or a clause that explains why it has none. */
export type ConfigValue =
  | { readonly value: unknown }
  | { readonly problem: string; readonly line: number; readonly isBlank: boolean };

/** Reads JSON with comments, trailing commas and a byte order mark. Never throws. */
export function readConfigValue(text: string): ConfigValue {
  const reading = readJsonTree(text);
  if ("root" in reading) return { value: plainValue(reading.root) };
  const { problem, offset, isBlank } = reading;
  return { problem, isBlank, line: createLineIndex(text)(offset).line };
}

/** The line on which a value begins, with its name if it has one. Undefined if the text has no such value. Never throws. */
export function configLine(text: string, path: ConfigPath): number | undefined {
  const reading = readJsonTree(text);
  if ("problem" in reading) return undefined;
  let [node, offset]: [JsonNode | undefined, number] = [reading.root, reading.root.offset];
  for (const step of path) {
    // The last of a repeated name is the one that counts.
    const item: JsonNode | undefined =
      typeof step === "number" ? node.children?.[step] : membersNamed(node, step).at(-1);
    node = typeof step === "number" ? item : item?.children?.[1];
    if (!item || !node) return undefined;
    offset = item.offset;
  }
  return createLineIndex(text)(offset).line;
}

/**
 * Sets and removes single values of a text. All other characters stay: comments, order, indentation, line ends and a byte
 * order mark. Throws a `ConfigError` if the text is malformed, or if the result would not have the wanted value.
 */
export function editConfigValues(text: string, edits: readonly ConfigEdit[], file = ""): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  let edited = text.slice(mark.length);
  for (const edit of edits) edited = editedOnce(edited, edit, file);
  return `${mark}${edited}`;
}

function editedOnce(text: string, { path, value }: ConfigEdit, file: string): string {
  const root = rootOf(text, file);
  const splices = splicesFor(text, { root, path, value });
  if (splices === "repeated") {
    const name = quoted(String(path.at(-1)));
    throw new ConfigError("invalid", file, `${quoted(file)} has ${name} twice; remove one of them first`);
  }
  if (splices.length === 0) return text;
  const edited = applySplices(text, splices);
  const wanted = withValue(plainValue(root), path, value);
  const after = readJsonTree(edited);
  if ("root" in after && canonicalJson(plainValue(after.root)) === canonicalJson(wanted)) return edited;
  throw new ConfigError("invalid", file, `${quoted(file)} cannot be changed safely; edit it by hand`);
}

function rootOf(text: string, file: string): JsonNode {
  const reading = readJsonTree(text);
  if ("root" in reading && reading.root.type === "object") return reading.root;
  const why = "problem" in reading ? reading.problem : "does not contain an object";
  const line = "problem" in reading ? ` (line ${createLineIndex(text)(reading.offset).line})` : "";
  throw new ConfigError("malformed", file, `${quoted(file)} ${why}${line}; fix it first`);
}

interface Change {
  readonly root: JsonNode;
  readonly path: ConfigPath;
  readonly value: unknown;
}

/** The parts of the text to replace. A key that is repeated along the path is refused: the edit could change the wrong one. */
function splicesFor(text: string, { root, path, value }: Change): readonly Splice[] | "repeated" {
  let parent = root;
  for (const [depth, step] of path.entries()) {
    const items = parent.children ?? [];
    const matching = typeof step === "number" ? items.slice(step, step + 1) : membersNamed(parent, step);
    if (matching.length > 1) return "repeated";
    const [item] = matching;
    const node = typeof step === "number" ? item : item?.children?.[1];
    const rest = path.slice(depth + 1);
    if (!item || !node) {
      if (value === undefined) return [];
      const label = typeof step === "number" ? {} : { label: `${JSON.stringify(step)}: ` };
      return appendItem(text, parent, { ...label, value: withValue(undefined, rest, value) });
    }
    if (rest.length === 0)
      return value === undefined
        ? removeItem(text, item, items[items.indexOf(item) - 1])
        : replaceValue(text, node, value);
    parent = node;
  }
  return [];
}

/** The members with this name, as nodes of a name and a value. */
function membersNamed(node: JsonNode, name: string): JsonNode[] {
  if (node.type !== "object") return [];
  return (node.children ?? []).filter(({ children }) => children?.[0]?.value === name);
}

/** The value with one value set or removed. Missing objects along the path are created. */
function withValue(whole: unknown, [step, ...rest]: ConfigPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = Array.isArray(whole) ? [...(whole as unknown[])] : [];
    if (rest.length > 0) list[step] = withValue(list[step], rest, value);
    else if (value === undefined) list.splice(step, 1);
    else list[step] = value;
    return list;
  }
  const object = new Map(Object.entries(typeof whole === "object" && whole !== null ? whole : {}));
  const inner = rest.length === 0 ? value : withValue(object.get(step), rest, value);
  if (inner === undefined) object.delete(step);
  else object.set(step, inner);
  return Object.fromEntries(object);
}
