import type * as ServerModule from "@modelcontextprotocol/server";
import type {
  CallToolResult,
  JSONRPCRequest,
  Result,
  ServerCapabilities,
  ServerContext,
} from "@modelcontextprotocol/server";

/** The part we use. The names are listed where the SDK is loaded, so a bundle leaves out the rest. */
type Sdk = Pick<
  typeof ServerModule,
  | "Server"
  | "classifyInboundRequest"
  | "createMcpHandler"
  | "createRequestStateCodec"
  | "isInitializeRequest"
  | "validateHostHeader"
  | "validateOriginHeader"
>;
type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

let loading: Promise<Sdk> | undefined;

/**
 * The server side of the SDK. Loaded with the first connection, so importing this package loads no MCP library.
 */
export function loadServerSdk(): Promise<Sdk> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Sdk> {
  const {
    Server,
    classifyInboundRequest,
    createMcpHandler,
    createRequestStateCodec,
    isInitializeRequest,
    validateHostHeader,
    validateOriginHeader,
  } = await import("@modelcontextprotocol/server");
  return {
    Server: verbatim(Server),
    classifyInboundRequest,
    createMcpHandler,
    createRequestStateCodec,
    isInitializeRequest,
    validateHostHeader,
    validateOriginHeader,
  };
}

/** The only revision of the legacy era that has tasks. */
export const TASKS_REVISION = "2025-11-25";

/** A result that is valid in both eras. The SDK checks it instead of the real result. */
const STAND_IN: CallToolResult = { content: [] };

/**
 * A server that sends tool results unchanged, and declares tasks only in the revision that has them. The SDK rejects unknown block types and rebuilds known ones, but
 * results of another server must not change. Only a result that asks a question is checked, because the allowed
 * questions depend on the client.
 */
function verbatim(Base: Sdk["Server"]): Sdk["Server"] {
  return class VerbatimServer extends Base {
    /** Called for the answer to `initialize`, when the revision is known. */
    override getCapabilities(): ServerCapabilities {
      const capabilities = super.getCapabilities();
      if (!("tasks" in capabilities) || this.getNegotiatedProtocolVersion() === TASKS_REVISION)
        return capabilities;
      const { tasks: _, ...others } = capabilities;
      return others;
    }

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
