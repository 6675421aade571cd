import { isRecord } from "../../../core/internal.ts";
import type { JsonSchema } from "../../contract/index.ts";
import { type Members, withMembers } from "../../members.ts";
import { recordLoss, type SchemaWalk } from "../walk/schema-walk.ts";
import type { SubSchema } from "./portable-walk.ts";

/** A schema that accepts any arguments. */
export function openObject(): JsonSchema {
  return { type: "object", properties: {} };
}

/** Makes the root an object schema with `properties`: a tool's arguments are always an object. */
export function objectRoot(schema: SubSchema, walk: SchemaWalk): JsonSchema {
  if (!isRecord(schema)) {
    if (!schema) recordLoss(walk, "", "root");
    return openObject();
  }
  const typed = schema["type"] === "object" ? schema : withObjectType(schema, walk);
  return isRecord(typed["properties"]) ? typed : withMembers(typed, { properties: {} });
}

function withObjectType(schema: Members, walk: SchemaWalk): Members {
  const type = schema["type"];
  if (type === undefined) return withMembers({ type: "object" }, schema);
  const allowsObject = Array.isArray(type) && type.includes("object");
  if (!allowsObject) recordLoss(walk, "type", "root");
  return withMembers(schema, { type: "object" });
}
