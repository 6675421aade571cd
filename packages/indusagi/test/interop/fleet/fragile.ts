import { createManualClock, type ManualClock } from "indusagi/core";
import {
  type BridgeConfig,
  type EndpointStatus,
  type FleetOptions,
  type InjectedTransport,
  type InvokeResult,
  linkedTransports,
  type ServerConfig,
  ServerFleetImpl,
} from "indusagi/interop";
import { expect } from "vitest";
import { inProcess } from "../kit/scripted.ts";

type Supervision = Exclude<NonNullable<FleetOptions["supervision"]>, false>;
type Scripted = NonNullable<Parameters<typeof inProcess>[0]>;

export const server = (id: string): ServerConfig => ({ kind: "stdio", id, command: "unused" });
export const servers = (...ids: string[]): BridgeConfig => ({ servers: ids.map(server) });
export const textOf = (result: InvokeResult): string => (result.content[0] as { readonly text: string }).text;

/** A fleet of in-process servers that a test can kill or keep from starting, under a manual clock. */
export class FragileFleet extends ServerFleetImpl {
  readonly clock: ManualClock;
  /** The reported changes, each as `server:number of tools`. */
  readonly changes: string[] = [];
  readonly statuses: EndpointStatus[] = [];
  readonly #scene: Scene;

  constructor(supervision: Supervision = {}, scripted: Scripted = {}, options: FleetOptions = {}) {
    const clock = createManualClock();
    const scene: Scene = {
      living: new Map(),
      starts: new Map(),
      muted: new Set(),
      isBroken: false,
      scripted,
    };
    super({
      ...options,
      probeMs: 10_000,
      transport: ({ id, kind }) => (kind === "stdio" ? open(scene, id) : undefined),
      supervision: { jitter: 0, clock, ...supervision },
    });
    this.clock = clock;
    this.#scene = scene;
    this.onChange(({ server: id, tools }) => this.changes.push(`${id}:${tools.length}`));
    this.onStatus((status) => this.statuses.push(status));
  }

  starts(id: string): number {
    return this.#scene.starts.get(id) ?? 0;
  }

  /** While broken, no server can be started. */
  breakAll(isBroken: boolean): void {
    this.#scene.isBroken = isBroken;
  }

  /** Servers that will be started, but answer nothing. */
  mute(...ids: readonly string[]): void {
    for (const id of ids) this.#scene.muted.add(id);
  }

  async kill(id: string): Promise<void> {
    await this.#scene.living.get(id)?.close();
  }

  /** Polls the status: connecting takes real time, not time of the manual clock. */
  async until(id: string, wanted: Partial<EndpointStatus>): Promise<void> {
    await expect.poll(() => this.status().get(id), { timeout: 10_000, interval: 5 }).toMatchObject(wanted);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tearDown();
  }
}

interface Scene {
  readonly living: Map<string, InjectedTransport>;
  readonly starts: Map<string, number>;
  readonly muted: Set<string>;
  readonly scripted: Scripted;
  isBroken: boolean;
}

function open(scene: Scene, id: string): InjectedTransport {
  const transport = scene.muted.has(id) ? linkedTransports()[0] : inProcess(scene.scripted);
  const start = transport.start.bind(transport);
  return Object.assign(transport, {
    start: async () => {
      scene.starts.set(id, (scene.starts.get(id) ?? 0) + 1);
      if (scene.isBroken) throw new Error("it cannot be started now");
      scene.living.set(id, transport);
      await start();
    },
  });
}
