import { isRecord } from "indusagi/core";
import type { JsonObject } from "./json-object.ts";

/** A Codex row in the form that other clients use. Codex names its members otherwise, and takes secrets by variable name. */
export function fromCodexRow(row: JsonObject): JsonObject {
  const { env, env_vars: vars, http_headers: headers, env_http_headers: envHeaders, ...rest } = row;
  const { bearer_token_env_var: bearer, enabled_tools: only, disabled_tools: without, ...others } = rest;
  const {
    startup_timeout_sec: startup,
    startup_timeout_ms: startupMs,
    tool_timeout_sec: call,
    ...own
  } = others;
  const allHeaders = {
    ...(isRecord(headers) ? headers : {}),
    ...(isRecord(envHeaders) ? referring(Object.entries(envHeaders)) : {}),
    ...(typeof bearer === "string" ? { Authorization: `Bearer ${reference(bearer)}` } : {}),
  };
  const allEnv = { ...referring(varNames(vars).map((name) => [name, name])), ...(isRecord(env) ? env : {}) };
  const connectMs = milliseconds(startup) ?? (typeof startupMs === "number" ? startupMs : undefined);
  const callMs = milliseconds(call);
  const timeouts = { ...(connectMs && { connectMs }), ...(callMs && { callMs }) };
  return {
    ...own,
    ...(Object.keys(allEnv).length > 0 && { env: allEnv }),
    ...(Object.keys(allHeaders).length > 0 && { headers: allHeaders }),
    ...(Array.isArray(only) && { includeTools: only }),
    ...(Array.isArray(without) && { excludeTools: without }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  };
}

/** Names, or since 2026 objects with a name and a source. */
function varNames(vars: unknown): string[] {
  if (!Array.isArray(vars)) return [];
  return vars.flatMap((each: unknown) => {
    const name = isRecord(each) ? each["name"] : each;
    return typeof name === "string" ? [name] : [];
  });
}

function referring(names: readonly (readonly [string, unknown])[]): JsonObject {
  return Object.fromEntries(names.map(([name, variable]) => [name, reference(String(variable))]));
}

function reference(variable: string): string {
  return `\${${variable}}`;
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}
