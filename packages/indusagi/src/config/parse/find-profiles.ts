import { definedMembers } from "../../core/internal.ts";
import type { ConfigPath, ConfigProfile, NativeProfile } from "../contract.ts";
import { quoted, type Report, type Spot } from "../report.ts";
import { uniqueMembers } from "./find-rows.ts";
import { type JsonMember, type JsonNode, membersOf } from "./json-tree.ts";

/** A profile without its position. */
export interface FoundProfile extends Omit<ConfigProfile, "source"> {
  readonly spot: Spot;
}

const NATIVE: readonly NativeProfile[] = ["none", "read-only", "full", "all"];
const LISTINGS = ["all", "search", "auto", "code"] as const;
const MEMBERS: ReadonlySet<string> = new Set(["servers", "tools", "native", "listing", "description"]);

/**
 * The profiles of a file. A profile with an unusable member is dropped entirely: without that member it would offer more than
 * its author meant.
 */
export function findProfiles(root: JsonNode, report: Report): FoundProfile[] {
  const member = membersOf(root).findLast(({ key }) => key === "profiles");
  if (!member) return [];
  if (member.value.type !== "object") {
    const spot = { offset: member.offset, path: ["profiles"] };
    report.error(spot, '"profiles" is not an object and is dropped; write { "NAME": { "servers": ["…"] } }');
    return [];
  }
  return [...uniqueMembers(member.value, ["profiles"], report).values()].flatMap(
    (profile) => new ProfileReader(profile, report).read() ?? [],
  );
}

/** Reads one profile and notes whether it can be used. */
class ProfileReader {
  readonly #name: string;
  readonly #node: JsonNode;
  readonly #spot: Spot;
  readonly #report: Report;
  #isRefused = false;

  constructor({ key, offset, value }: JsonMember, report: Report) {
    this.#name = key;
    this.#node = value;
    this.#spot = { offset, path: ["profiles", key] };
    this.#report = report;
  }

  read(): FoundProfile | undefined {
    if (this.#name.trim() === "") this.#refuse(this.#spot, "it has an empty name; give it a name");
    if (NATIVE.some((name) => name === this.#name))
      this.#refuse(this.#spot, "the name is reserved; choose another one");
    if (this.#node.type !== "object")
      this.#refuse(this.#spot, 'it is not an object; write { "servers": ["…"] }');
    if (this.#isRefused) return undefined;
    const members = uniqueMembers(this.#node, this.#spot.path, this.#report);
    this.#refuseUnknown(members.values());
    const servers = this.#texts(members.get("servers"));
    const tools = this.#texts(members.get("tools"));
    const native = this.#oneOf(members.get("native"), NATIVE);
    const listing = this.#oneOf(members.get("listing"), LISTINGS);
    if (tools?.length === 0)
      this.#refuse(this.#spot, '"tools" is empty; name tools, or leave it out for all of them');
    if (this.#isRefused) return undefined;
    return definedMembers({ name: this.#name, servers, tools, native, listing, spot: this.#spot });
  }

  #texts(member: JsonMember | undefined): readonly string[] | undefined {
    if (!member) return undefined;
    const items = member.value.type === "array" ? (member.value.children ?? []) : undefined;
    if (items?.every(({ type, value }) => type === "string" && String(value).trim() !== ""))
      return items.map(({ value }) => String(value));
    this.#refuse(this.#at(member), `${quoted(member.key)} is not a list of names; write ["…", "…"]`);
    return undefined;
  }

  #oneOf<Value extends string>(member: JsonMember | undefined, values: readonly Value[]): Value | undefined {
    if (!member) return undefined;
    const known = values.find((value) => value === member.value.value);
    if (known === undefined)
      this.#refuse(this.#at(member), `${quoted(member.key)} must be one of ${values.join(", ")}`);
    return known;
  }

  /** It may be a misspelled limit. */
  #refuseUnknown(members: Iterable<JsonMember>): void {
    for (const member of members)
      if (!MEMBERS.has(member.key))
        this.#refuse(
          this.#at(member),
          `${quoted(member.key)} is not a member of a profile; use ${[...MEMBERS].join(", ")}`,
        );
  }

  #at({ key, offset }: JsonMember): Spot {
    const path: ConfigPath = [...this.#spot.path, key];
    return { offset, path };
  }

  #refuse(spot: Spot, message: string): void {
    this.#isRefused = true;
    this.#report.error(spot, `profile ${quoted(this.#name)}: ${message}. The profile is dropped`);
  }
}
