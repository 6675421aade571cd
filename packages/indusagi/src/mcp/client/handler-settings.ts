import type { MCPElicitationHandler, MCPRoot, MCPSamplingHandler } from "../contract/index.ts";
import type { ClientCore } from "./client-core.ts";
import { type ClientHandlers, checkedRoots } from "./client-handlers.ts";

type UndeclaredHandlers = Omit<ClientHandlers, "elicitation" | "sampling" | "roots">;

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
    if (!current || current.session.era === "modern") return; // A modern server asks for the roots with every call.
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

  /** Sets a handler that is not declared to the server. */
  set<Name extends keyof UndeclaredHandlers>(name: Name, handler: UndeclaredHandlers[Name]): void {
    const handlers: UndeclaredHandlers = this.#core.handlers;
    handlers[name] = handler;
  }

  /** A legacy server learns only at connect what it may ask for. */
  #isTooLateFor(ability: "elicit" | "sample"): boolean {
    const { current } = this.#core;
    return current !== undefined && current.session.era === "legacy" && !current.declared[ability];
  }

  #noteLate(what: string): void {
    this.#core.note("warning", `the server learns of ${what} at the next connect()`);
  }
}
