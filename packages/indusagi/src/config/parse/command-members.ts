import { quoted } from "../report.ts";
import { commandNode, type JsonMember, membersOf } from "./json-tree.ts";
import type { RowReader, WrittenText } from "./row-reader.ts";

/** The commands among the values of `env` or `headers`, by name. A command that is not a list of strings refuses the row. */
export function commandMembers(
  row: RowReader,
  member: JsonMember | undefined,
): ReadonlyMap<string, readonly WrittenText[]> {
  const found = new Map<string, readonly WrittenText[]>();
  if (member?.value.type !== "object") return found;
  const last = new Map(membersOf(member.value).map((each) => [each.key, each]));
  for (const { key, offset, value } of last.values()) {
    const list = commandNode(value);
    if (!list) continue;
    const spot = { offset, path: [...row.path, member.key, key] };
    const label = `"fromCommand" of ${member.key} ${quoted(key)}`;
    const words = list.type === "array" ? (list.children ?? []) : [];
    if (words.length === 0 || words.some(({ type }) => type !== "string"))
      row.refuse(spot, `${label} is not a list of strings; write ["program", "argument"]`);
    else if (membersOf(value).length > 1)
      row.refuse(spot, `${label} has other members beside it; remove them`);
    else
      found.set(
        key,
        words.map((word) => ({ text: String(word.value), spot, label })),
      );
  }
  return found;
}
