import { isRecord } from "../../../core/internal.ts";
import type { ItemKind, ListedItem } from "../../contract/index.ts";

/**
 * Whether an item has the members that the protocol requires, in the right form. Clients reject a whole list because of one
 * wrong item, so that one server could hide the items of all others.
 */
export function isUsableItem(kind: ItemKind, item: ListedItem): boolean {
  const required = REQUIRED[kind];
  return (
    required.every((member) => isText(item[member])) &&
    ["title", "description", "mimeType"].every((member) => isOptional(item[member], isText)) &&
    isOptional(item["size"], Number.isFinite) &&
    isOptional(item["_meta"], isRecord) &&
    isOptional(item["icons"], isListOf(isIcon)) &&
    isOptional(item["annotations"], isAnnotations) &&
    (kind !== "prompts" || isOptional(item["arguments"], isListOf(isArgument)))
  );
}

const REQUIRED: { readonly [kind in ItemKind]: readonly string[] } = {
  resources: ["uri", "name"],
  templates: ["uriTemplate", "name"],
  prompts: ["name"],
};

type Check = (value: unknown) => boolean;

function isOptional(value: unknown, check: Check): boolean {
  return value === undefined || check(value);
}

function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isIcon(value: unknown): boolean {
  return (
    isRecord(value) &&
    isText(value["src"]) &&
    isOptional(value["mimeType"], isText) &&
    isOptional(value["sizes"], isListOf(isText))
  );
}

function isAnnotations(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { audience, priority, lastModified } = value;
  return (
    isOptional(
      audience,
      isListOf((role) => role === "user" || role === "assistant"),
    ) &&
    isOptional(priority, (share) => typeof share === "number" && share >= 0 && share <= 1) &&
    isOptional(lastModified, isText)
  );
}

function isArgument(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { name, title, description, required } = value;
  return (
    isText(name) &&
    isOptional(title, isText) &&
    isOptional(description, isText) &&
    isOptional(required, (flag) => typeof flag === "boolean")
  );
}
