import type { WireSession } from "../wire/session.ts";

/** The parts of the protocol that the page counts. */
export const FEATURES = [
  "initialize",
  "instructions",
  "lists",
  "tool",
  "tool errors",
  "progress",
  "cancel",
  "elicit",
  "sample",
  "roots",
  "list-changed",
  "log",
  "resources",
  "subscriptions",
  "prompts",
  "completion",
  "errors",
  "extensions",
  "apps",
  "tasks",
  "skills",
  "hints",
] as const;

export type Feature = (typeof FEATURES)[number];

export type Json = { readonly [member: string]: unknown };

/** How the server's own names are spelt for a client of a door. */
export interface Names {
  /** The name under which a client calls a tool or gets a prompt. */
  spell(own: string): string;
  /** The server's own name. Undefined for a tool or prompt of the gateway itself. */
  own(spelt: string): string | undefined;
  /** Whether a resource is the gateway's own, not the server's. */
  isGateways(uri: string): boolean;
}

/** One thing to try, with the same arguments each time. It returns what was seen. */
export interface Step {
  readonly id: string;
  readonly feature: Feature;
  readonly run: (session: WireSession, names: Names) => Promise<unknown>;
}

/** What is tried with one server, in this order. */
export interface Plan {
  readonly steps: readonly Step[];
  /** The extensions that the client declares. */
  readonly extensions?: Json;
  /** How long the server needs after the handshake before its answers are the same each time. */
  readonly settleMs?: number;
}

/** How long a note may take that follows a change. */
export const CHANGE_MS = 4_000;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
