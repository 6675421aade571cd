import type { MCPElicitationHandler, MCPRoot, MCPSamplingHandler } from "../contract/index.ts";
import type { ClientCore } from "./client-core.ts";
import { type ClientHandlers, checkedRoots } from "./client-handlers.ts";

type SilentHandlers = Omit<ClientHandlers, "elicitation" | "sampling" | "roots">;

/** The settable handlers of a client. They stay when the client disconnects and connects again. */
export class HandlerSettings {
  readonly #core: ClientCore;

  constructor(core: ClientCore) {
    this.#core = core;
  }

  get roots(): readonly MCPRoot[] {
    return this.#core.handlers.roots ?? [];
  }

  async setRoots(roots: readonly MCPRoot[]): Promise<void> {
    const { handlers, serverName, current } = this.#core;
    handlers.roots = checkedRoots(roots, serverName);
    if (!current || current.session.era === "modern") return; // A modern server asks for them with every call.
    if (!current.declared.roots) return this.#noteLate("the roots");
    try {
      await current.session.notify("notifications/roots/list_changed");
    } catch (thrown) {
      throw this.#core.translate(thrown, { site: "request" });
    }
  }

  setElicitation(handler: MCPElicitationHandler | undefined): void {
    this.#core.handlers.elicitation = handler;
    if (handler && this.#isTooLateFor("elicit")) this.#noteLate("the elicitation handler");
  }

  setSampling(handler: MCPSamplingHandler | undefined): void {
    this.#core.handlers.sampling = handler;
    if (handler && this.#isTooLateFor("sample")) this.#noteLate("the sampling handler");
  }

  /** Sets a handler that the server need not know about. */
  set<Name extends keyof SilentHandlers>(name: Name, handler: SilentHandlers[Name]): void {
    const handlers: SilentHandlers = this.#core.handlers;
    handlers[name] = handler;
  }

  /** A legacy server learns only when it is connected what it may ask for. */
  #isTooLateFor(ability: "elicit" | "sample"): boolean {
    const { current } = this.#core;
    return current !== undefined && current.session.era === "legacy" && !current.declared[ability];
  }

  #noteLate(what: string): void {
    this.#core.note("warning", `${what} will be known to the server after the next connect()`);
  }
}
