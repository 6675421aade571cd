import { readTreeUse } from "indusagi/core";
import type { OpenServers } from "../servers/open/index.ts";
import type { ProcessUse } from "./contract.ts";

interface Measured {
  readonly pid: number;
  readonly cpuMs: number;
  readonly atMs: number;
}

/** Measures the process trees of servers. The share of the processor is that since the last measurement. */
export class ProcessMeter {
  readonly #last = new Map<string, Measured>();
  #own: Measured | undefined;

  servers(servers: Pick<OpenServers, "fleet">): { readonly [server: string]: ProcessUse } {
    const found: [string, ProcessUse][] = [];
    for (const { config, pid } of servers.fleet.endpoints()) {
      const use = pid === undefined ? undefined : readTreeUse(pid);
      if (pid === undefined || !use) {
        this.#last.delete(config.id);
        continue;
      }
      const { processes, memoryBytes, cpuMs } = use;
      const now = { pid, cpuMs, atMs: performance.now() };
      found.push([config.id, { processes, memoryBytes, cpuPercent: share(this.#last.get(config.id), now) }]);
      this.#last.set(config.id, now);
    }
    return Object.fromEntries(found);
  }

  /** This process, without the servers. */
  gateway(): ProcessUse {
    const { user, system } = process.cpuUsage();
    const now = { pid: process.pid, cpuMs: (user + system) / 1_000, atMs: performance.now() };
    const cpuPercent = share(this.#own, now);
    this.#own = now;
    return { processes: 1, memoryBytes: process.memoryUsage.rss(), cpuPercent };
  }
}

function share(before: Measured | undefined, now: Measured): number {
  if (before?.pid !== now.pid || now.atMs - before.atMs < 1) return 0;
  return Math.max(0, Math.round(((now.cpuMs - before.cpuMs) / (now.atMs - before.atMs)) * 1_000) / 10);
}
