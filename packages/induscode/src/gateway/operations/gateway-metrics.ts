import type { EndpointStatus, HttpListenerStats } from "indusagi/interop";
import { serverReport } from "../../servers/doctor/index.ts";
import type { CallRecord } from "./audit/index.ts";
import type { CallMetrics } from "./call-metrics.ts";

/** A gateway's metrics, in the Prometheus format. */
export interface GatewayMetrics {
  /** Counts a call that has ended. Never throws. */
  count(record: CallRecord): void;
  page(): Promise<MetricsPage>;
}

interface MetricsPage {
  readonly type: string;
  readonly text: string;
}

/** Where the current values come from. */
export interface MetricsSources {
  readonly version: string;
  statuses(): readonly EndpointStatus[];
  /** Undefined before it listens. */
  listener(): HttpListenerStats | undefined;
}

interface Loaded {
  readonly calls: CallMetrics;
  page(): Promise<MetricsPage>;
}

/** Some calls or the first page load the library: serving starts without it. */
export function gatewayMetrics(sources: MetricsSources): GatewayMetrics {
  let loading: Promise<Loaded> | undefined;
  /** Calls that have ended and are not counted yet. */
  const waiting: CallRecord[] = [];
  const counted = async (): Promise<Loaded> => {
    const loaded = await (loading ??= loadMetrics(sources));
    for (const record of waiting.splice(0)) loaded.calls.count(record);
    return loaded;
  };
  return {
    count: (record) => {
      waiting.push(record);
      // The page reports the error. Drop calls that would never be counted.
      if (waiting.length >= TOGETHER) counted().catch(() => void waiting.splice(0));
    },
    page: async () => (await counted()).page(),
  };
}

/** Calls are counted together, or when the page is asked for: each alone would cost the call. */
const TOGETHER = 256;

async function loadMetrics(sources: MetricsSources): Promise<Loaded> {
  const { Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const { CallMetrics } = await import("./call-metrics.ts");
  const register = new Registry();
  const calls = new CallMetrics({ Counter, Histogram }, register);
  register.registerMetric(
    new Gauge({
      name: "indus_servers",
      help: "Configured servers by state.",
      labelNames: ["state"],
      registers: [],
      collect() {
        this.reset();
        for (const status of sources.statuses())
          this.inc({ state: serverReport(status).state.replaceAll(" ", "_") });
      },
    }),
  );
  /** Values that are read when the page is requested. */
  const gauge = (name: string, help: string, read: () => number): void =>
    register.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  new Gauge({
    name: "indus_info",
    help: "The version of the gateway.",
    labelNames: ["version"],
    registers: [register],
  }).set({ version: sources.version }, 1);
  gauge("indus_sessions", "Open sessions of the legacy era.", () => sources.listener()?.sessions ?? 0);
  gauge("indus_requests", "Requests that are being answered.", () => sources.listener()?.requests ?? 0);
  gauge("indus_streams", "Open streams for notifications.", () => sources.listener()?.streams ?? 0);
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("process_cpu_seconds_total", "Processor time, of the user and of the system.", cpuSeconds);
  gauge("process_start_time_seconds", "When the process started, since 1970.", () => STARTED_S);
  return { calls, page: async () => ({ type: register.contentType, text: await register.metrics() }) };
}

const STARTED_S = Math.round(performance.timeOrigin / 1_000);

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
