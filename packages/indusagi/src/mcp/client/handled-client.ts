import type {
  MCPElicitationHandler,
  MCPListChangedHandler,
  MCPLogHandler,
  MCPProgressHandler,
  MCPResourceUpdatedHandler,
  MCPRoot,
  MCPSamplingHandler,
} from "../contract/index.ts";
import type { ClientCore } from "./client-core.ts";
import { checkedRoots } from "./client-handlers.ts";

/** The part of a client that hears and answers its server. Handlers stay over disconnecting and connecting again. */
export class HandledClient {
  readonly #core: ClientCore;

  constructor(core: ClientCore) {
    this.#core = core;
  }

  /** The folders the server may ask for. */
  get roots(): readonly MCPRoot[] {
    return this.#core.handlers.roots ?? [];
  }

  /**
   * The folders the server may ask for. A server that was told of roots when it was connected hears of the change; one
   * that was not learns of them at the next `connect`.
   */
  async setRoots(roots: readonly MCPRoot[]): Promise<void> {
    const { handlers, serverName, isConnected } = this.#core;
    handlers.roots = checkedRoots(roots, serverName);
    if (!isConnected) return;
    const { session, declared } = this.#core.ready();
    if (session.era === "modern") return; // Asked for with every call.
    if (!declared.roots) return this.#willBeTold("the roots");
    try {
      await session.notify("notifications/roots/list_changed");
    } catch (thrown) {
      throw this.#core.translate(thrown, { site: "request" });
    }
  }

  /** Answers what the server asks of a person. Set it before `connect`: that is when a server is told. */
  setElicitationHandler(handler: MCPElicitationHandler | undefined): void {
    this.#core.handlers.elicitation = handler;
    if (handler && this.#isTooLateFor("elicit")) this.#willBeTold("the elicitation handler");
  }

  /** Runs a model for the server. Set it before `connect`: that is when a server is told. */
  setSamplingHandler(handler: MCPSamplingHandler | undefined): void {
    this.#core.handlers.sampling = handler;
    if (handler && this.#isTooLateFor("sample")) this.#willBeTold("the sampling handler");
  }

  /** Hears the progress of every call. */
  setProgressHandler(handler: MCPProgressHandler | undefined): void {
    this.#core.handlers.progress = handler;
  }

  /** Hears of changes of the resources that are subscribed to. */
  setResourceUpdatedHandler(handler: MCPResourceUpdatedHandler | undefined): void {
    this.#core.handlers.resourceUpdated = handler;
  }

  /** Hears that the resources became others. */
  setResourceListChangedHandler(handler: MCPListChangedHandler | undefined): void {
    this.#core.handlers.resourceListChanged = handler;
  }

  /** Hears that the prompts became others. */
  setPromptListChangedHandler(handler: MCPListChangedHandler | undefined): void {
    this.#core.handlers.promptListChanged = handler;
  }

  /** Hears that the tools became others; `listTools` gives the new ones by then. */
  setToolListChangedHandler(handler: MCPListChangedHandler | undefined): void {
    this.#core.handlers.toolListChanged = handler;
  }

  /** Hears the server's messages, in the place of the `logger` of the options. */
  setLogHandler(handler: MCPLogHandler | undefined): void {
    this.#core.handlers.logger = handler;
  }

  /** A server of the legacy era is told once, when it is connected, what it can ask for. */
  #isTooLateFor(ability: "elicit" | "sample"): boolean {
    if (!this.#core.isConnected) return false;
    const { session, declared } = this.#core.ready();
    return session.era === "legacy" && !declared[ability];
  }

  #willBeTold(what: string): void {
    this.#core.note("warning", `${what} will be known to the server after the next connect()`);
  }
}
