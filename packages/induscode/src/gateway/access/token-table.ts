import { escapeForDisplay } from "indusagi/core";
import { showTable } from "../../screen/index.ts";
import type { Look } from "../../screen/internal.ts";

/** A token without its hash. */
export interface ShownToken {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
  readonly calls?: number;
  readonly listing?: string;
  readonly admin?: boolean;
}

/** The tokens of a folder as a table: who has one, and what it allows. */
export function showTokens(tokens: readonly ShownToken[], look: Look = {}): string {
  const rows = tokens.map(({ name, id, createdAt, calls, listing, servers, tools, admin }) => [
    escapeForDisplay(name),
    escapeForDisplay(id),
    escapeForDisplay(createdAt.slice(0, 10)),
    calls === undefined ? "any" : String(calls),
    listing ?? "-",
    `${allowed(servers, tools)}${admin ? ", and the console" : ""}`,
  ]);
  return showTable([["NAME", "ID", "CREATED", "CALLS", "LISTING", "ALLOWED"], ...rows], look);
}

function allowed(servers: ShownToken["servers"], tools: ShownToken["tools"]): string {
  const parts = [
    ...(servers ? [`servers ${servers.join(", ")}`] : []),
    ...(tools ? [`tools ${tools.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "everything" : escapeForDisplay(parts.join("; "));
}
