import type * as Prom from "prom-client";
import type { CallRecord } from "./audit/index.ts";

/** The label of native tools. */
const OWN = "indus";
/** The label of servers beyond the limit: labels are never dropped, and servers may come and go. */
const OTHER = "other";
const MAX_SERVERS = 200;
/** Seconds: from a tool that looks something up to one that builds a project. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counts calls. Labels are the server, the method and the outcome, never the tool, the principal or a client's text. */
export class CallMetrics {
  readonly #calls: Prom.Counter<"server" | "outcome">;
  readonly #requests: Prom.Counter<"server" | "method" | "outcome">;
  readonly #seconds: Prom.Histogram<"server">;
  readonly #argumentBytes: Prom.Counter<"server">;
  readonly #resultBytes: Prom.Counter<"server">;
  readonly #servers = new Set<string>();

  constructor({ Counter, Histogram }: Pick<typeof Prom, "Counter" | "Histogram">, register: Prom.Registry) {
    const registers = [register];
    this.#calls = new Counter({
      name: "indus_calls_total",
      help: "Calls of tools that have ended, by server and outcome.",
      labelNames: ["server", "outcome"],
      registers,
    });
    this.#requests = new Counter({
      name: "indus_server_requests_total",
      help: "Requests for resources, prompts and completion that have ended, by server, method and outcome.",
      labelNames: ["server", "method", "outcome"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "indus_call_duration_seconds",
      help: "The time from the request to the end of a call, by server.",
      labelNames: ["server"],
      buckets: BUCKETS,
      registers,
    });
    this.#argumentBytes = new Counter({
      name: "indus_call_argument_bytes_total",
      help: "Bytes of the arguments of calls, by server.",
      labelNames: ["server"],
      registers,
    });
    this.#resultBytes = new Counter({
      name: "indus_call_result_bytes_total",
      help: "Bytes of the results of calls, by server.",
      labelNames: ["server"],
      registers,
    });
  }

  count({ server: id, method, outcome, ms, argumentBytes, resultBytes }: CallRecord): void {
    const server = id === undefined ? OWN : this.#label(id);
    if (method !== "tools/call") return this.#requests.inc({ server, method, outcome });
    this.#calls.inc({ server, outcome });
    this.#seconds.observe({ server }, ms / 1_000);
    this.#argumentBytes.inc({ server }, argumentBytes);
    this.#resultBytes.inc({ server }, resultBytes);
  }

  #label(id: string): string {
    if (!this.#servers.has(id) && this.#servers.size >= MAX_SERVERS) return OTHER;
    this.#servers.add(id);
    return id;
  }
}
