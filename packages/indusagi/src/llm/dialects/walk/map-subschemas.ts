import { LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS } from "./keyword-table.ts";
import { isRecord, type Members, mapElements, mapMembers } from "./members.ts";
import { descend, type SchemaWalk } from "./schema-walk.ts";

type Position = "one" | "list" | "map";

const POSITIONS: ReadonlyMap<string, Position> = new Map([
  ...[...SCHEMA_KEYWORDS].map((keyword) => [keyword, "one"] as const),
  ...[...LIST_KEYWORDS].map((keyword) => [keyword, "list"] as const),
  ...[...MAP_KEYWORDS].map((keyword) => [keyword, "map"] as const),
]);

/** Applies `visit` to each direct subschema of a portable schema. Returns the same object if none changed. */
export function mapSubschemas(
  schema: Members,
  walk: SchemaWalk,
  visit: (schema: unknown) => unknown,
): Members {
  const visitAt = (inner: unknown, key: string | number): unknown => descend(walk, key, () => visit(inner));
  return mapMembers(schema, (value, keyword) => {
    const position = POSITIONS.get(keyword);
    if (position === undefined) return value;
    if (position === "list" && Array.isArray(value))
      return descend(walk, keyword, () => mapElements(value, visitAt));
    if (position === "map" && isRecord(value))
      return descend(walk, keyword, () => mapMembers(value, visitAt));
    return visitAt(value, keyword);
  });
}
