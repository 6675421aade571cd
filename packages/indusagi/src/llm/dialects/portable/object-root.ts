import type { JsonSchema } from "../../contract/index.ts";
import { isRecord, type Members, withMembers } from "../walk/members.ts";
import { giveUp, type SchemaWalk } from "../walk/schema-walk.ts";
import type { SubSchema } from "./portable-walk.ts";

/** A schema for arguments that says nothing about them. */
export function openObject(): JsonSchema {
  return { type: "object", properties: {} };
}

/** The root of a tool's parameters: arguments are always an object, so its schema says so and lists its properties. */
export function objectRoot(schema: SubSchema, walk: SchemaWalk): JsonSchema {
  if (!isRecord(schema)) {
    if (!schema) giveUp(walk, "", "root");
    return openObject();
  }
  const typed = schema["type"] === "object" ? schema : withObjectType(schema, walk);
  return isRecord(typed["properties"]) ? typed : withMembers(typed, { properties: {} });
}

function withObjectType(schema: Members, walk: SchemaWalk): Members {
  const type = schema["type"];
  if (type === undefined) return withMembers({ type: "object" }, schema);
  const wasPossible = Array.isArray(type) && type.includes("object");
  if (!wasPossible) giveUp(walk, "type", "root");
  return withMembers(schema, { type: "object" });
}
