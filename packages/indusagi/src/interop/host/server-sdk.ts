import type * as ServerModule from "@modelcontextprotocol/server";
import type { CallToolResult, JSONRPCRequest, Result, ServerContext } from "@modelcontextprotocol/server";

type Sdk = typeof ServerModule;
type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

let loading: Promise<Sdk> | undefined;

/** The SDK's server side; loaded with the first connection, so that importing this package loads no MCP library. */
export function loadServerSdk(): Promise<Sdk> {
  loading ??= import("@modelcontextprotocol/server").then((sdk) => ({
    ...sdk,
    Server: verbatim(sdk.Server),
  }));
  return loading;
}

/** Valid in every era: it goes through the SDK's checks in the place of the real result. */
const STAND_IN: CallToolResult = { content: [] };

/**
 * The SDK rejects a tool result with a block type it does not know, and rebuilds the ones it does. A result that came
 * from another server is that server's business: it passes unseen. Only a result that asks something is checked,
 * because what may be asked depends on the client.
 */
function verbatim(Base: Sdk["Server"]): Sdk["Server"] {
  return class VerbatimServer extends Base {
    protected override _wrapHandler(method: string, handler: Handler): Handler {
      if (method !== "tools/call") return super._wrapHandler(method, handler);
      return async (request, ctx) => {
        let result: Result | undefined;
        const checked = super._wrapHandler(method, async (given, givenCtx) => {
          const answer = await handler(given, givenCtx);
          if (answer["resultType"] === "input_required") return answer;
          result = answer;
          return STAND_IN;
        });
        const passed = await checked(request, ctx);
        return result ?? passed;
      };
    }
  };
}
