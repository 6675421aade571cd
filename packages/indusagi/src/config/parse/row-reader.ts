import type { ConfigPath } from "../contract.ts";
import { quoted, type Report, type Spot } from "../report.ts";
import { uniqueMembers } from "./find-rows.ts";
import { commandNode, exactValue, type JsonMember, type JsonNode } from "./json-tree.ts";
import { fromOpencodeSyntax, isOpencodeRow, usesFileContent } from "./opencode-row.ts";
import { expandVariables, type VariableValue } from "./variables/expand-variables.ts";

/** A string of a row as written, with its position and a label for messages. */
export interface WrittenText {
  readonly text: string;
  readonly spot: Spot;
  readonly label: string;
}

export interface RowReaderOptions {
  readonly id: string;
  readonly spot: Spot;
  readonly node: JsonNode;
  /** The whole text, to take numbers from as written. */
  readonly text: string;
  readonly report: Report;
  /** Whether the last good form of the row is used if it is refused. Default: it is dropped. */
  readonly hasLastGood?: boolean;
}

/** Reads the members of one row. Reports unusable members, and refuses the row if guessing would be unsafe. */
export class RowReader {
  readonly id: string;
  /** The position of the row itself. */
  readonly spot: Spot;
  readonly #members: ReadonlyMap<string, JsonMember>;
  readonly #source: string;
  readonly #report: Report;
  readonly #onRefusal: string;
  #isRefused = false;

  constructor({ id, spot, node, text, report, hasLastGood = false }: RowReaderOptions) {
    this.id = id;
    this.spot = spot;
    this.#members = uniqueMembers(node, spot.path, report);
    this.#source = text;
    this.#report = report;
    this.#onRefusal = hasLastGood ? "Its last good form stays in use" : "The row is dropped";
  }

  get path(): ConfigPath {
    return this.spot.path;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Whether the row is in opencode's format. */
  get isOpencode(): boolean {
    return isOpencodeRow(this);
  }

  members(): Iterable<JsonMember> {
    return this.#members.values();
  }

  /** The member with the first of these names that the row has. */
  member(...names: readonly string[]): JsonMember | undefined {
    return names.map((name) => this.#members.get(name)).find((member) => member !== undefined);
  }

  /** The members of a nested object at a path. The last of a repeated name is used, as everywhere. */
  membersIn(node: JsonNode, path: ConfigPath): Iterable<JsonMember> {
    return uniqueMembers(node, path, this.#report).values();
  }

  /** The value of a member as an approval covers it. */
  exactValue({ value }: JsonMember): unknown {
    return exactValue(value, this.#source);
  }

  spotOf({ key, offset }: JsonMember): Spot {
    return { offset, path: [...this.path, key] };
  }

  warn(spot: Spot, message: string): void {
    this.#report.warning(spot, this.#line(message));
  }

  refuse(spot: Spot, message: string): void {
    this.#isRefused = true;
    this.#report.error(spot, this.#line(`${message}. ${this.#onRefusal}`));
  }

  text(member: JsonMember | undefined): WrittenText | undefined {
    if (!member) return undefined;
    const spot = this.spotOf(member);
    if (member.value.type === "string") return { text: String(member.value.value), spot, label: member.key };
    this.refuse(spot, `${quoted(member.key)} is not a string; write it in quotes`);
    return undefined;
  }

  texts(member: JsonMember | undefined): WrittenText[] | undefined {
    if (!member) return undefined;
    if (member.value.type !== "array") {
      this.refuse(this.spotOf(member), `${quoted(member.key)} is not a list; write it as ["…", "…"]`);
      return undefined;
    }
    return (member.value.children ?? []).flatMap((item, index) => {
      const spot = { offset: item.offset, path: [...this.path, member.key, index] };
      return this.#scalar(item, spot, `${member.key}[${index}]`) ?? [];
    });
  }

  textMap(member: JsonMember | undefined): Map<string, WrittenText> | undefined {
    if (!member) return undefined;
    if (member.value.type !== "object") {
      this.refuse(this.spotOf(member), `${quoted(member.key)} is not an object; write { "NAME": "value" }`);
      return undefined;
    }
    const found = new Map<string, WrittenText>();
    const path = [...this.path, member.key];
    for (const { key, offset, value } of this.membersIn(member.value, path)) {
      if (commandNode(value)) continue; // Read by `commandMembers`.
      const written = this.#scalar(value, { offset, path: [...path, key] }, `${member.key} ${quoted(key)}`);
      if (written) found.set(key, written);
    }
    return found;
  }

  /** The string with its variables expanded; a missing variable refuses the row. */
  expand(written: WrittenText, lookup: (name: string) => VariableValue): string | undefined {
    if (this.isOpencode && usesFileContent(written.text)) {
      this.refuse(
        written.spot,
        `${written.label} uses {file:…}, which is not supported; use an environment variable`,
      );
      return undefined;
    }
    const text = this.isOpencode ? fromOpencodeSyntax(written.text) : written.text;
    const expansion = expandVariables(text, lookup);
    if ("text" in expansion) return expansion.text;
    this.refuse(written.spot, `${written.label} ${expansion.problem}`);
    return undefined;
  }

  #scalar(value: JsonNode, spot: Spot, label: string): WrittenText | undefined {
    if (value.type === "string") return { text: String(value.value), spot, label };
    if (value.type === "number" || value.type === "boolean")
      return { text: this.#source.slice(value.offset, value.offset + value.length), spot, label };
    this.#report.error(spot, this.#line(`${label} is not a string and is ignored; write it in quotes`));
    return undefined;
  }

  #line(message: string): string {
    return `server ${quoted(this.id)}: ${message}`;
  }
}
