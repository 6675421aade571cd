import { PEER_PACKAGES } from "../../transparency/doors/peers.ts";

/** The versions that `docs/benchmarks.md` compares with. The gateways are those of the transparency run. */
export const COMPARED_PACKAGES = {
  ...PEER_PACKAGES,
  "@modelcontextprotocol/sdk": "1.32.2",
  "@modelcontextprotocol/client": "2.4.0",
  "@modelcontextprotocol/server": "2.4.0",
  "@modelcontextprotocol/node": "2.1.2",
  "@ai-sdk/mcp": "2.0.99",
} as const;
