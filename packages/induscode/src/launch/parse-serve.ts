import type { Invocation, ServeTransport } from "./invocation.ts";
import { type FlagReading, readFlags } from "./read-flags.ts";

/** Reads what follows `indus serve`. */
export function parseServe(words: readonly string[]): Invocation {
  const flags = readFlags(words, {
    "--stdio": "switch",
    "--port": "value",
    "--host": "value",
    "--token-env": "value",
    "--mcp": "list",
    "--demo": "switch",
    "--cwd": "value",
  });
  if ("problem" in flags) return usage(`serve ${flags.problem}`);
  const [surplus] = flags.rest;
  if (surplus !== undefined) return usage(`serve takes no ${JSON.stringify(surplus)}`);
  const way = parseWay(flags);
  if ("problem" in way) return usage(way.problem);
  const cwd = flags.value("--cwd");
  const demo = flags.has("--demo");
  return { command: "serve", way, mcp: flags.list("--mcp"), demo, ...(cwd === undefined ? {} : { cwd }) };
}

function parseWay(flags: FlagReading): ServeTransport | { readonly problem: string } {
  const [port, host, tokenEnv] = ["--port", "--host", "--token-env"].map((flag) => flags.value(flag));
  if (flags.has("--stdio")) {
    const other = ["--port", "--host", "--token-env"].find((flag) => flags.has(flag));
    return other === undefined ? { kind: "stdio" } : { problem: `serve takes --stdio or ${other}, not both` };
  }
  if (port === undefined && !flags.has("--demo")) return { problem: "serve needs --stdio or --port N" };
  if (flags.has("--demo") && (host ?? tokenEnv) !== undefined)
    return { problem: "serve --demo stays on this machine and takes neither --host nor --token-env" };
  if (host !== undefined && !isLoopback(host) && tokenEnv === undefined)
    return { problem: `serve --host ${host} is open to others and needs --token-env VAR` };
  if (port !== undefined && !isPort(port)) return { problem: "--port takes a number from 0 to 65535" };
  return {
    kind: "http",
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(host === undefined ? {} : { host }),
    ...(tokenEnv === undefined ? {} : { tokenEnv }),
  };
}

/** Early and kind; whoever listens refuses as well. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function usage(problem: string): Invocation {
  return { command: "usage", problem };
}
