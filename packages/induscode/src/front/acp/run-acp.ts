import { isAbsolute } from "node:path";
import { Readable, Writable } from "node:stream";
import type {
  AgentContext,
  ClientCapabilities,
  InitializeResponse,
  McpServer,
} from "@agentclientprotocol/sdk";
import { describeError, untilAborted } from "indusagi/core";
import type { ServerConfig } from "indusagi/interop";
import { type Session, SessionError, type SessionUser } from "../../conductor/index.ts";
import { AcpSession, type OpenedAcpSession } from "./acp-session.ts";
import { acpUser } from "./acp-user.ts";

/** What an editor's session is opened with. */
interface AcpOpening {
  readonly cwd: string;
  /** Servers from the editor, for this session only. */
  readonly servers: readonly ServerConfig[];
  /** Continue this session. Absent: a new one. */
  readonly resume?: string | undefined;
  readonly user: SessionUser;
}

export interface AcpOptions {
  readonly version: string;
  readonly signal: AbortSignal;
  readonly input: Readable;
  readonly output: Writable;
  readonly open: (opening: AcpOpening) => Promise<OpenedAcpSession>;
}

/** Serves the Agent Client Protocol until the editor closes the connection or the signal aborts. Resolves to the exit code. */
export async function runAcp(options: AcpOptions): Promise<number> {
  const { agent, ndJsonStream, PROTOCOL_VERSION, RequestError } = await import("@agentclientprotocol/sdk");
  const { signal, input, output, version } = options;
  const sessions = new Map<string, AcpSession>();
  let capabilities: ClientCapabilities = {};

  const sessionOf = (id: string): AcpSession => {
    const found = sessions.get(id);
    if (!found) throw RequestError.sessionNotFound(id);
    return found;
  };
  const refusable = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof RequestError) throw thrown;
      // The editor's user reads the message.
      throw new RequestError(-32_000, describeError(thrown));
    }
  };
  const open = async (
    client: AgentContext,
    request: { readonly cwd: string; readonly mcpServers: readonly McpServer[]; readonly sessionId?: string },
  ): Promise<AcpSession> => {
    const { cwd, mcpServers, sessionId } = request;
    if (!isAbsolute(cwd)) throw RequestError.invalidParams(undefined, `cwd is not absolute: ${cwd}`);
    let session: Session | undefined;
    const user = acpUser({ client, capabilities, cwd, session: () => session });
    const servers = editorServers(mcpServers);
    const opened = await options.open({
      cwd,
      servers,
      user,
      resume: sessionId,
    });
    session = opened.session;
    const hasNotices = Boolean(capabilities.session?.notices);
    const made = new AcpSession({ client, opened, user, cwd, hasNotices });
    sessions.set(made.id, made);
    return made;
  };

  const app = agent({ name: "indus" })
    .onRequest("initialize", ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return { protocolVersion: PROTOCOL_VERSION, ...introduction(version) };
    })
    .onRequest("session/new", ({ params, client }) =>
      refusable(async () => {
        const session = await open(client, params);
        // After the answer, when the editor knows the session.
        setImmediate(() => session.begin());
        return { sessionId: session.id, modes: session.modes };
      }),
    )
    .onRequest("session/load", ({ params, client }) =>
      refusable(async () => {
        const before = sessions.get(params.sessionId);
        sessions.delete(params.sessionId);
        await before?.close();
        const session = await open(client, params).catch((thrown: unknown) => {
          throw isUnknown(thrown) ? RequestError.sessionNotFound(params.sessionId) : thrown;
        });
        await session.replay();
        setImmediate(() => session.begin());
        return { modes: session.modes };
      }),
    )
    .onRequest("session/set_mode", ({ params }) =>
      refusable(async () => {
        sessionOf(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest("session/prompt", ({ params }) =>
      refusable(async () => ({ stopReason: await sessionOf(params.sessionId).prompt(params.prompt) })),
    )
    .onRequest("session/close", ({ params }) =>
      refusable(async () => {
        const session = sessionOf(params.sessionId);
        sessions.delete(params.sessionId);
        await session.close();
        return {};
      }),
    )
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel());

  const connection = app.connect(
    ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>),
  );
  try {
    await untilAborted(connection.closed, signal).catch(() => {});
  } finally {
    await Promise.allSettled([...sessions.values()].map((session) => session.close()));
    connection.close();
  }
  return 0;
}

/** Converts the editor's servers. Its user chose them, so they are approved. */
function editorServers(servers: readonly McpServer[]): readonly ServerConfig[] {
  return servers.map((server) => {
    const id = server.name;
    // Some editors set a type on stdio servers too.
    if (!("url" in server))
      return {
        kind: "stdio",
        id,
        command: server.command,
        args: server.args,
        env: Object.fromEntries(server.env.map(({ name, value }) => [name, value])),
      };
    return {
      kind: server.type === "sse" ? "sse" : "streamable-http",
      id,
      url: server.url,
      headers: Object.fromEntries(server.headers.map(({ name, value }) => [name, value])),
    };
  });
}

/** What the editor is told about us. */
function introduction(version: string): Omit<InitializeResponse, "protocolVersion"> {
  return {
    agentInfo: { name: "indus", title: "Indus", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { close: {} },
    },
    authMethods: [],
  };
}

function isUnknown(thrown: unknown): boolean {
  return thrown instanceof SessionError && thrown.kind === "unknown_session";
}
