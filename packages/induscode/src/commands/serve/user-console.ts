import type { Run } from "../../boot/internal.ts";
import { AttachedFolders, type OwnPort, openOwnPort } from "../../console/internal.ts";
import type { Gateway } from "../../gateway/open/internal.ts";
import type { ServerSources } from "../../launch/internal.ts";
import type { Command } from "../subcommand.ts";
import type { consoleSource } from "./console-source.ts";

/** What a client of the background gateway is served with. */
export interface ServedClient {
  readonly run: Run;
  readonly gateway: Pick<Gateway, "servers" | "view">;
  readonly sources: ServerSources;
}

/** What `indus console` needs for a link. */
export interface OpenedConsole extends Pick<OwnPort, "id" | "url"> {
  readonly folders: readonly { readonly id: string; readonly path: string }[];
}

interface UserConsoleOptions {
  /** The folder with its links, which only the user can open. */
  readonly state: string;
  readonly commands: readonly Command[];
  readonly report: (message: string) => void;
  readonly signal: AbortSignal;
}

/** A page whose stream is lost comes back sooner than that. */
const IDLE_MS = 120_000;

/** The console of the background gateway: all folders with clients, at a port that is open while somebody looks. */
export class UserConsole {
  readonly #options: UserConsoleOptions;
  readonly #folders = new AttachedFolders();
  #show: typeof consoleSource | undefined;
  #port: Promise<OwnPort> | undefined;

  constructor(options: UserConsoleOptions) {
    this.#options = options;
  }

  /** Shows the folder of a client. The returned function ends that. */
  attach({ run, gateway, sources }: ServedClient): () => void {
    const { commands } = this.#options;
    return this.#folders.attach({
      path: run.cwd,
      view: gateway.view,
      source: () => {
        if (!this.#show) throw new Error("the console is not open");
        return this.#show(run, { gateway, sources, commands });
      },
    });
  }

  /** Opens the port, unless it is open. */
  async open(): Promise<OpenedConsole> {
    this.#show ??= (await import("./console-source.ts")).consoleSource;
    if ((await this.#port)?.isClosed ?? true) this.#port = this.#listen();
    const port = await (this.#port as Promise<OwnPort>);
    port.keep();
    const { id, url } = port;
    return {
      id,
      url,
      folders: this.#folders.list().map(({ folder: { id: name, path } }) => ({ id: name, path })),
    };
  }

  /** The gateway has ended. */
  async close(): Promise<void> {
    const port = await this.#port?.catch(() => undefined);
    port?.close();
  }

  async #listen(): Promise<OwnPort> {
    const { state, report, signal } = this.#options;
    const opening = openOwnPort({
      ...{ sources: this.#folders, state, report, signal },
      // Nothing of it can be reached over the network.
      tokens: undefined,
      idleMs: IDLE_MS,
    });
    opening.catch(() => (this.#port = undefined));
    return opening;
  }
}
