import { canonicalJson, isRecord, mintUlid } from "../../core/index.ts";
import {
  type BridgeConfig,
  ProtocolFault,
  type ReloadReport,
  type ServerConfig,
  type ServerTimeouts,
  type TransportKind,
} from "../contract/index.ts";

/** A row that the fleet supervises. */
export interface CheckedRow {
  /** The row as given. For an invalid row: its valid members, with an id. */
  readonly config: ServerConfig;
  /** What is wrong with the row. Such a server is never started. */
  readonly fault?: ProtocolFault;
}

/**
 * The rows of a configuration by id, in order. If two rows share an id, the later one wins, at the position of the earlier.
 * A configuration file is checked by its parser, but these rows may come from an untyped program. An invalid row does not
 * keep other servers from starting. Throws if there is no list of rows.
 */
export function checkRows(config: BridgeConfig): ReadonlyMap<string, CheckedRow> {
  const given: unknown = isRecord(config) ? config.servers : undefined;
  if (!Array.isArray(given))
    throw new TypeError('the configuration has no list of servers; "servers" must be a list of rows');
  const rows = Array.from(given as unknown[]);
  const ids = new Set(rows.flatMap((row) => idOf(row) ?? []));
  return new Map(
    rows.map((row, index) => {
      const checked = checkRow(row, index + 1, ids);
      return [checked.config.id, checked];
    }),
  );
}

/** Checks one row. `number` is its position; `taken` holds the ids that a row without one must not get. */
export function checkRow(given: unknown, number: number, taken: { has(id: string): boolean }): CheckedRow {
  try {
    return checkForm(given, number, taken);
  } catch {
    return checkForm(undefined, number, taken); // Reading a member threw.
  }
}

function checkForm(given: unknown, number: number, taken: { has(id: string): boolean }): CheckedRow {
  const row = isRecord(given) ? given : {};
  const kind = KINDS.find((each) => each === row["kind"]);
  const [misfit] = [
    ...OBJECT(given, ""),
    ...TEXT(row["id"], "id"),
    ...KIND(row["kind"], "kind"),
    ...(kind ? MEMBERS[kind](row, "") : []),
  ];
  if (!misfit) {
    // Members of other kinds have no effect, but the search for secrets reads them all.
    const isClean = membersIn(ALL)(row, "").length === 0;
    return { config: (isClean ? row : withoutMisfits(row)) as unknown as ServerConfig };
  }
  const named = idOf(row);
  const id = named ?? madeUpId(number, taken);
  const who = named === undefined ? `${id} of the configuration` : `server "${id}"`;
  const message = `${who} is not started: ${describe(misfit)}`;
  return {
    config: {
      ...{ command: "", url: "", ...withoutMisfits(row) },
      ...{ id, kind: kind ?? "stdio" },
    },
    fault: new ProtocolFault("not_connected", message, {
      server: id,
      reason: "unsupported",
      retrySafe: true,
    }),
  };
}

/** The rows of a configuration by id, and the default timeouts. */
export interface FleetRows {
  readonly rows: ReadonlyMap<string, CheckedRow>;
  readonly timeouts: ServerTimeouts | undefined;
}

/** Compares two configurations row by row. The timeouts of the whole configuration count as part of each row. */
export function diffServers(before: FleetRows, after: FleetRows): ReloadReport {
  const isSame = (id: string): boolean => contentOf(before, id) === contentOf(after, id);
  const stayed = [...after.rows.keys()].filter((id) => before.rows.has(id));
  return {
    added: [...after.rows.keys()].filter((id) => !before.rows.has(id)),
    removed: [...before.rows.keys()].filter((id) => !after.rows.has(id)),
    changed: stayed.filter((id) => !isSame(id)),
    kept: stayed.filter(isSame),
  };
}

function contentOf({ rows, timeouts }: FleetRows, id: string): string {
  const { config, fault } = rows.get(id) ?? {};
  try {
    return canonicalJson([
      { ...config, timeouts: { ...timeouts, ...config?.timeouts } },
      fault?.message ?? null,
    ]);
  } catch {
    return mintUlid(); // A member that JSON cannot hold, which only a program can pass: count it as changed.
  }
}

/** A member of a row with an invalid value. */
interface Misfit {
  readonly at: string;
  readonly is: string;
  readonly needs: string;
}

type Form = (value: unknown, at: string) => readonly Misfit[];
type Forms = { readonly [member: string]: Form };

/** The value itself is not shown: it may be a secret. */
const form =
  (needs: string, fits: (value: unknown) => boolean, show = kindOf): Form =>
  (value, at) =>
    fits(value) ? [] : [{ at, is: show(value), needs }];

const optional =
  (needed: Form): Form =>
  (value, at) =>
    value === undefined ? [] : needed(value, at);

const oneOf = (...values: readonly string[]): Form =>
  form(
    `one of ${values.join(", ")}`,
    (value) => values.some((each) => each === value),
    (value) => (typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : kindOf(value)),
  );

const listOf =
  (item: Form): Form =>
  (value, at) =>
    Array.isArray(value)
      ? Array.from(value as unknown[]).flatMap((each, index) => item(each, `${at}[${index}]`))
      : LIST(value, at);

const namedBy =
  (item: Form): Form =>
  (value, at) =>
    isRecord(value)
      ? Object.entries(value).flatMap(([name, each]) => item(each, `${at}.${name}`))
      : OBJECT(value, at);

const membersIn =
  (forms: Forms): Form =>
  (value, at) =>
    isRecord(value)
      ? Object.entries(forms).flatMap(([name, each]) => each(value[name], at === "" ? name : `${at}.${name}`))
      : OBJECT(value, at);

const allOptional = (forms: Forms): Forms =>
  Object.fromEntries(Object.entries(forms).map(([name, each]) => [name, optional(each)]));

const OBJECT = form("an object", isRecord);
const LIST = form("a list", Array.isArray);
const STRING = form("a string", (value) => typeof value === "string");
const TEXT = form("a non-empty string", (value) => typeof value === "string" && value !== "");
const FLAG = form("true or false", (value) => typeof value === "boolean");
const NUMBER = form("a number", (value) => Number.isFinite(value));
const TIME = form("a time in milliseconds", (value) => Number.isFinite(value) && (value as number) >= 0);

const KINDS: readonly TransportKind[] = ["stdio", "sse", "streamable-http"];
const KIND = oneOf(...KINDS);

const COMMON = allOptional({
  timeouts: membersIn(allOptional({ connectMs: TIME, listMs: TIME, callMs: TIME, totalMs: TIME })),
  share: oneOf("fleet", "user", "principal", "session"),
  enabled: FLAG,
  pending: FLAG,
  required: FLAG,
  lazy: FLAG,
  idleMs: TIME,
  connectors: FLAG,
  passBaggage: FLAG,
  extensionMethods: listOf(TEXT),
  includeTools: listOf(STRING),
  excludeTools: listOf(STRING),
  toolOverrides: namedBy(membersIn(allOptional({ name: STRING, description: STRING }))),
  pin: oneOf("off", "warn", "hold", "quarantine"),
  fromCommand: namedBy(listOf(STRING)),
});

const PROCESS = allOptional({
  args: listOf(STRING),
  env: namedBy(optional(STRING)), // Node leaves out a variable that is undefined.
  cwd: TEXT,
});

const LOGIN = membersIn(
  allOptional({
    clientId: STRING,
    clientSecret: STRING,
    scopes: listOf(STRING),
    callbackPort: NUMBER,
    callbackHost: STRING,
    authorizationServer: STRING,
  }),
);

const HTTP = allOptional({
  headers: namedBy(STRING),
  oauth: (value, at) => (value === false ? [] : LOGIN(value, at)),
  onMismatch: oneOf("fallback", "fail"),
});

const BEHIND_HTTP = membersIn({ url: TEXT, ...HTTP, ...COMMON });

/** The members of a row besides `id` and `kind`. */
const MEMBERS: { readonly [kind in TransportKind]: Form } = {
  stdio: membersIn({ command: TEXT, ...PROCESS, ...COMMON }),
  sse: BEHIND_HTTP,
  "streamable-http": BEHIND_HTTP,
};

const ALL: Forms = { ...allOptional({ command: STRING, url: STRING }), ...PROCESS, ...HTTP, ...COMMON };

/** A row without its invalid members. */
function withoutMisfits(row: { readonly [member: string]: unknown }): { readonly [member: string]: unknown } {
  const fits = (name: string, value: unknown): boolean =>
    !Object.hasOwn(ALL, name) || ALL[name]?.(value, name).length === 0;
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => fits(name, value)));
}

function idOf(row: unknown): string | undefined {
  try {
    const id = isRecord(row) ? row["id"] : undefined;
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Says which row it is. Never the id of another row, which it would replace. */
function madeUpId(number: number, taken: { has(id: string): boolean }): string {
  let id = `row ${number}`;
  while (taken.has(id)) id = `${id} without an id`;
  return id;
}

function describe({ at, is, needs }: Misfit): string {
  return `${at === "" ? "it" : JSON.stringify(at)} is ${is} and must be ${needs}`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty string";
  if (Number.isNaN(value)) return "NaN";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
