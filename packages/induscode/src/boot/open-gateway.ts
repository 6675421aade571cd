import type { ServerConfig } from "indusagi/interop";
import type { ToolBox } from "indusagi/runtime";
import { firstOf } from "./first-of.ts";
import { type OpenServers, openServers } from "./open-servers.ts";

export interface OpenGatewayOptions {
  readonly servers: readonly ServerConfig[];
  /** The folder the native tools work in. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Hears of tools that could not be offered. */
  readonly report: (message: string) => void;
}

/** Everything `indus serve` offers, as one box. Disposing of it ends the servers and what native tools left running. */
export interface Gateway extends AsyncDisposable {
  readonly box: ToolBox;
  readonly servers: OpenServers;
}

/** Clients put a prefix of their own before our names, and the whole must fit their limit of 64. */
const NAME_LIMIT = 48;
/** Servers that take longer join by themselves. */
const WAIT_MS = 5_000;

/** Opens the native read-only tools and the servers, and waits a while for these. */
export async function openGateway(options: OpenGatewayOptions): Promise<Gateway> {
  const { servers: configs, cwd, signal, report } = options;
  const [{ toolBox }, { joinBoxes }] = await Promise.all([
    import("indusagi/capabilities"),
    import("../gateway/index.ts"),
  ]);
  const native = toolBox("read-only", cwd);
  // Who will call is not known yet; what a caller then cannot answer is declined.
  const relays = { elicit: { form: true, url: true }, sample: {} };
  const servers = await openServers({ servers: configs, nameLimit: NAME_LIMIT, report, relays });
  const box = joinBoxes([native, servers.box], report);
  const isRequired = configs.some(({ required, enabled = true }) => required && enabled);
  await firstOf([servers.settled], { signal, ...(isRequired ? {} : { waitMs: WAIT_MS }) });
  const dispose = async (): Promise<void> => {
    await Promise.all([servers[Symbol.asyncDispose](), native.close()]);
  };
  return { box, servers, [Symbol.asyncDispose]: dispose };
}
