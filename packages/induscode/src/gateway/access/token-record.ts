import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { CoreError, isRecord } from "indusagi/core";
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

/** The principal of the `--token-env` token, and of one made for a run. It may use everything. */
export const OWNER = "owner";

/**
 * The principal of a token. It includes the id, because a later token may reuse the name: a session of a revoked token must not
 * pass to its successor.
 */
export function principalOf({ name, id }: Pick<TokenRecord, "name" | "id">): string {
  return `${name}#${id}`;
}

/** The token's name and id in a principal. The owner has no id. */
export function tokenIn(principal: string): { readonly name: string; readonly id?: string } {
  const at = principal.lastIndexOf("#");
  return at < 0 ? { name: principal } : { name: principal.slice(0, at), id: principal.slice(at + 1) };
}

/** Lets people and scanners recognise a leaked token. */
const PREFIX = "indus_";
const ID_BYTES = 5;
const SECRET_BYTES = 32;
const FORM = /^indus_([0-9a-f]{10})_[A-Za-z0-9_-]{43}$/;

/** A new token: a public id and a random secret. */
interface TokenText {
  readonly id: string;
  /** What a client sends. Shown once and not stored. */
  readonly token: string;
  readonly hash: string;
}

export function mintToken(): TokenText {
  const id = randomBytes(ID_BYTES).toString("hex");
  const token = `${PREFIX}${id}_${randomBytes(SECRET_BYTES).toString("base64url")}`;
  return { id, token, hash: hashOf(token).toString("hex") };
}

/** The id in a token's text. Undefined if it is not one of ours. */
export function tokenIdIn(token: string): string | undefined {
  return FORM.exec(token)?.[1];
}

/** Compares a token with a hash, in constant time. */
export function matchesHash(token: string, hash: string): boolean {
  const expected = Buffer.from(hash, "hex");
  const given = hashOf(token);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** A plain hash is enough: a dictionary attack cannot find a secret of 256 random bits. */
function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export type AccessErrorKind =
  /** Clients would get in without a token where one is required. */
  | "needs_token"
  /** The name of a token is taken, unknown or invalid. */
  | "bad_name"
  /** The token file cannot be used. */
  | "unusable_file";

export class AccessError extends CoreError<AccessErrorKind> {}
