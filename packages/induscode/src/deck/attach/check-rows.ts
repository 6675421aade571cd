import { isRecord } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import { DeckFault } from "../contract/index.ts";

/** The rows of a configuration that can be mounted, and what is wrong with the others. */
export interface CheckedRows {
  readonly servers: readonly ServerConfig[];
  readonly fault?: DeckFault;
}

/**
 * Checks the types of each row. A configuration file is checked by its parser; these rows may come from a program without
 * types, and one wrong type would make the whole mount fail. What is wrong beyond that is in the status of its server.
 */
export function checkRows(config: unknown): CheckedRows {
  const servers = isRecord(config) ? config["servers"] : undefined;
  if (!Array.isArray(servers))
    return { servers: [], fault: refusal("the configuration has no list of servers") };
  const checked = servers.map((row: unknown, index) => ({ row, problem: problemOf(row, index + 1) }));
  const problems = checked.flatMap(({ problem }) => problem ?? []);
  return {
    servers: checked.flatMap(({ row, problem }) => (problem === undefined ? (row as ServerConfig) : [])),
    ...(problems.length > 0 ? { fault: refusal(`not mounted: ${problems.join("; ")}`) } : {}),
  };
}

interface Form {
  readonly fits: (value: unknown) => boolean;
  readonly name: string;
}

const TEXT: Form = { fits: isText, name: "a text that is not empty" };
const TEXTS: Form = {
  fits: (value) => Array.isArray(value) && value.every(isString),
  name: "a list of texts",
};
const NAMED_TEXTS: Form = {
  fits: (value) => isRecord(value) && Object.values(value).every(isString),
  name: "an object of texts",
};
const NAMED: Form = { fits: isRecord, name: "an object" };
const PIN: Form = {
  fits: (value) => ["off", "warn", "hold", "quarantine"].some((level) => level === value),
  name: "off, warn, hold or quarantine",
};
const FLAG: Form = { fits: (value) => typeof value === "boolean", name: "true or false" };
const TIME: Form = { fits: (value) => typeof value === "number" && value > 0, name: "a positive number" };

const NEEDED: { readonly [kind: string]: string } = {
  stdio: "command",
  sse: "url",
  "streamable-http": "url",
};

/** The members that a row may lack. */
const OPTIONAL: { readonly [member: string]: Form } = {
  args: TEXTS,
  cwd: TEXT,
  env: NAMED_TEXTS,
  headers: NAMED_TEXTS,
  includeTools: TEXTS,
  excludeTools: TEXTS,
  timeouts: NAMED,
  fromCommand: NAMED,
  enabled: FLAG,
  required: FLAG,
  pin: PIN,
  lazy: FLAG,
  idleMs: TIME,
};

function problemOf(row: unknown, number: number): string | undefined {
  if (!isRecord(row) || !isText(row["id"])) return `row ${number} has no "id"`;
  const server = `server ${JSON.stringify(row["id"])}`;
  const kinds = Object.keys(NEEDED);
  const kind = kinds.find((each) => each === row["kind"]);
  if (kind === undefined) return `"kind" of ${server} must be one of ${kinds.join(", ")}`;
  const forms: [string, Form][] = [[NEEDED[kind] as string, TEXT]];
  for (const [member, form] of Object.entries(OPTIONAL))
    if (row[member] !== undefined) forms.push([member, form]);
  // The value is not shown: it may be a secret.
  const wrong = forms.find(([member, form]) => !form.fits(row[member]));
  return wrong && `"${wrong[0]}" of ${server} must be ${wrong[1].name}`;
}

function refusal(message: string): DeckFault {
  return new DeckFault("bridge", message);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
