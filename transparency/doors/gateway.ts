import type { Names } from "../plan/step.ts";
import type { Target, TransportKind } from "../wire/target.ts";
import type { OpenTarget } from "./subject.ts";

/** A program between clients and servers, and the ways in which a client can reach one server through it. */
export interface Gateway {
  readonly name: string;
  /** The transports on which it reaches servers. */
  readonly reaches: readonly TransportKind[];
  readonly doors: readonly Door[];
}

/** One way into a gateway. */
export interface Door {
  /** For example `/mcp`. */
  readonly name: string;
  /** Whether it offers one server under its own names, as if the client were connected with it. */
  readonly isOwn: boolean;
  readonly names: Names;
  /** Starts the gateway in front of this one server. */
  open(server: Target, options: DoorOptions): Promise<OpenTarget>;
}

export interface DoorOptions {
  readonly mark: string;
  /** A new, empty folder for what the gateway writes. */
  readonly folder: string;
}

/** The id of the only server behind a gateway. */
export const SERVER_ID = "s";

export const OWN_NAMES: Names = { spell: (own) => own, own: (spelt) => spelt, isGateways: () => false };

/** Names with the id of the server before them. */
export const PREFIXED_NAMES: Names = {
  spell: (own) => `${SERVER_ID}__${own}`,
  own: (spelt) => (spelt.startsWith(`${SERVER_ID}__`) ? spelt.slice(SERVER_ID.length + 2) : undefined),
  isGateways: (uri) => uri.startsWith("indus://"),
};

/** The row of a server in a configuration file of MCP clients. */
export function rowOf(target: Target): object {
  if (target.kind !== "stdio") return { type: target.kind, url: target.url };
  return { command: target.command, args: target.args, env: target.env };
}
