import { isRecord } from "indusagi/core";
import { type StoreSchema, versionedJson } from "../../state/index.ts";
import type { ToolsMode } from "../offered-box.ts";

/** What the holder of a token may use. An absent member means no limit. */
export interface TokenGrant {
  /** The ids of the servers whose tools, prompts and resources may be used. */
  readonly servers?: readonly string[];
  /** The tools that may be used, as the words of `--tools`. */
  readonly tools?: readonly string[];
  /** The number of concurrent calls. */
  readonly calls?: number;
  /** How tools are listed. Default: as the gateway lists them. */
  readonly listing?: ToolsMode;
  /** Whether it may open the console over the network. Default: no. */
  readonly admin?: boolean;
}

/** A stored token: its hash, not its text. */
export interface TokenRecord extends TokenGrant {
  /** Also part of the token's text, to find its record without comparing hashes. */
  readonly id: string;
  /** Who the token is for; in the audit trail. */
  readonly name: string;
  /** SHA-256 of the whole text, in hexadecimal. */
  readonly hash: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** All tokens by id, oldest first. */
export type TokenRecords = ReadonlyMap<string, TokenRecord>;

/** One damaged record makes the whole file unusable: losing a limit would widen access. */
export const TOKEN_FILE: StoreSchema<TokenRecords> = versionedJson<TokenRecords>({
  format: 1,
  parse: ({ tokens }) => {
    if (!Array.isArray(tokens) || !tokens.every(isTokenRecord)) return undefined;
    return new Map(tokens.map((record) => [record.id, record]));
  },
  members: (records) => ({ tokens: [...records.values()] }),
  indent: 2,
  damage: "is damaged, or of a newer version; remove it and add the tokens again",
});

const LISTINGS: ReadonlySet<unknown> = new Set<ToolsMode>(["all", "search", "auto", "code"]);

function isTokenRecord(value: unknown): value is TokenRecord {
  if (!isRecord(value)) return false;
  const { id, name, hash, createdAt, servers, tools, calls, listing, admin } = value;
  return (
    [id, name, hash, createdAt].every((text) => typeof text === "string") &&
    [servers, tools].every((list) => list === undefined || isTextList(list)) &&
    (calls === undefined || (Number.isSafeInteger(calls) && Number(calls) > 0)) &&
    (listing === undefined || LISTINGS.has(listing)) &&
    (admin === undefined || typeof admin === "boolean")
  );
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
