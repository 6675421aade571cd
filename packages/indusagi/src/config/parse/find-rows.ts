import { type ConfigPath, MAX_CONFIG_ROWS } from "../contract.ts";
import { quoted, type Report, type Spot } from "../report.ts";
import { type JsonMember, type JsonNode, membersOf } from "./json-tree.ts";

/** A row with its id, not parsed yet. */
export interface FoundRow {
  readonly id: string;
  readonly spot: Spot;
  readonly node: JsonNode;
}

/** Root members that contain rows: ours, the one of most clients, and Zed's. See `containersAt` for `mcp`. */
export const CONTAINERS: ReadonlySet<string> = new Set(["servers", "mcpServers", "context_servers"]);

/** Root members without rows that cause no warning. */
const EXPECTED = new Set(["$schema", "envFile", "inputs", "profiles"]);

/** The rows of a file in file order. If two have the same id, the last is used and the other reported. */
export function findRows(root: JsonNode, report: Report): FoundRow[] {
  const rows = new Map<string, FoundRow>();
  for (const row of containersOf(root, report).flatMap((container) => rowsIn(container, report))) {
    const earlier = rows.get(row.id);
    if (earlier) {
      const { line } = report.position(row.spot);
      report.warning(
        earlier.spot,
        `server ${quoted(row.id)} is repeated on line ${line}, and the last row is used; remove one of them`,
      );
    }
    rows.delete(row.id);
    rows.set(row.id, row);
  }
  return [...rows.values()];
}

/** The members of an object by name. The last of a repeated name is used, the others are reported. */
export function uniqueMembers(node: JsonNode, path: ConfigPath, report: Report): Map<string, JsonMember> {
  const members = new Map<string, JsonMember>();
  for (const member of membersOf(node)) {
    const earlier = members.get(member.key);
    if (earlier) {
      report.warning(
        { offset: earlier.offset, path: [...path, member.key] },
        `${quoted(member.key)} is written twice, and the last one is used; remove one of them`,
      );
    }
    members.delete(member.key);
    members.set(member.key, member);
  }
  return members;
}

interface Container {
  readonly node: JsonNode;
  readonly spot: Spot;
}

function containersOf(root: JsonNode, report: Report): Container[] {
  const members = [...uniqueMembers(root, [], report).values()];
  const found = members.flatMap((member) => containersAt(member));
  const unknown = members.filter(
    ({ key, value }) =>
      !CONTAINERS.has(key) && !EXPECTED.has(key) && !(key === "mcp" && value.type === "object"),
  );
  if (found.length === 0 && !members.some(({ key }) => key === "profiles")) {
    report.warning(
      { offset: root.offset, path: [] },
      'the file contains no servers; put them into "servers" or "mcpServers"',
    );
  }
  const [first] = unknown;
  if (first) report.warning({ offset: first.offset, path: [first.key] }, unknownMessage(unknown));
  return found;
}

/** `mcp` contains rows in opencode. In VS Code's settings and in newer opencode files they are in `mcp.servers`. */
function containersAt({ key, offset, value }: JsonMember): Container[] {
  if (CONTAINERS.has(key)) return [{ node: value, spot: { offset, path: [key] } }];
  if (key !== "mcp" || value.type !== "object") return [];
  const inner = membersOf(value).findLast((member) => member.key === "servers");
  if (inner && !isRow(inner.value))
    return [{ node: inner.value, spot: { offset: inner.offset, path: ["mcp", "servers"] } }];
  return membersOf(value).some((member) => isRow(member.value))
    ? [{ node: value, spot: { offset, path: ["mcp"] } }]
    : [];
}

/** Whether a member of `mcp` is a row of opencode, which always has a `type`. */
function isRow(node: JsonNode): boolean {
  const type = node.type === "object" ? membersOf(node).findLast(({ key }) => key === "type") : undefined;
  return type?.value.type === "string";
}

function unknownMessage(unknown: readonly JsonMember[]): string {
  const names = unknown.slice(0, 5).map(({ key }) => quoted(key));
  const rest = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : "";
  return `${names.join(", ")}${rest} at the top of the file has no effect here; remove it or check the spelling`;
}

function rowsIn({ node, spot }: Container, report: Report): FoundRow[] {
  if (node.type !== "array" && node.type !== "object") {
    report.error(
      spot,
      `${quoted(spot.path.join("."))} contains no rows; make it an object or an array of servers`,
    );
    return [];
  }
  const count = node.children?.length ?? 0;
  if (count > MAX_CONFIG_ROWS)
    report.error(spot, `only the first ${MAX_CONFIG_ROWS} of ${count} rows are read; split the file`);
  if (node.type === "array") {
    return (node.children ?? [])
      .slice(0, MAX_CONFIG_ROWS)
      .flatMap((row, index) => arrayRow(row, { offset: row.offset, path: [...spot.path, index] }, report));
  }
  return membersOf(node)
    .slice(0, MAX_CONFIG_ROWS)
    .flatMap(({ key, offset, value }) =>
      objectRow(key, value, { spot: { offset, path: [...spot.path, key] }, report }),
    );
}

function arrayRow(node: JsonNode, spot: Spot, report: Report): FoundRow[] {
  if (node.type !== "object") {
    report.error(spot, "this row is not an object and is dropped; write a server as { … }");
    return [];
  }
  const name = membersOf(node).findLast((member) => member.key === "name");
  const id: unknown = name?.value.type === "string" ? name.value.value : undefined;
  if (typeof id !== "string" || id.trim() === "") {
    report.error(spot, 'this row has no name and is dropped; give it a "name"');
    return [];
  }
  return [{ id, spot, node }];
}

function objectRow(
  id: string,
  node: JsonNode,
  at: { readonly spot: Spot; readonly report: Report },
): FoundRow[] {
  if (id.trim() === "") {
    at.report.error(at.spot, "this row has an empty name and is dropped; give it a name");
    return [];
  }
  if (node.type === "object") {
    const name = membersOf(node).findLast((member) => member.key === "name")?.value;
    if (name && name.value !== id) {
      at.report.warning(
        { offset: name.offset, path: [...at.spot.path, "name"] },
        `server ${quoted(id)} has another "name" inside its row; the key is used, so remove the inner "name"`,
      );
    }
  }
  return [{ id, spot: at.spot, node }];
}
