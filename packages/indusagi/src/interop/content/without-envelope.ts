import type { RawResult } from "../contract/index.ts";

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/**
 * Removes what the modern era adds to each result: the mark of a complete result and the identity of the server. The SDK adds
 * both again in that era, and keeps an identity that is there, so a client would take the upstream server for its own.
 */
export function withoutEnvelope(result: RawResult): RawResult {
  if (!("resultType" in result)) return result;
  const { resultType: _complete, _meta: meta, ...rest } = result;
  if (typeof meta !== "object" || meta === null || Array.isArray(meta))
    return meta === undefined ? rest : { ...rest, _meta: meta };
  const { [SERVER_INFO]: _identity, ...others } = meta as RawResult;
  return Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest;
}
