import { verifies } from "@indus/testkit";
import type { EndpointStatus } from "indusagi/interop";
import { expect } from "vitest";
import { gatewayMetrics } from "../../../src/gateway/index.ts";
import type { CallRecord } from "../../../src/gateway/operations/audit/index.ts";

const record = (more: Partial<CallRecord>): CallRecord => ({
  at: "2026-11-16T00:00:00.000Z",
  id: "req_1",
  session: "secret-session",
  method: "tools/call",
  principal: "secret-alice",
  tool: "secret-tool",
  ms: 30,
  outcome: "ok",
  argumentBytes: 10,
  resultBytes: 100,
  pid: 1,
  ...more,
});

verifies("operations:metrics", "calls, times, bytes, servers by state, and what is open", async () => {
  const statuses = [
    { server: "a", phase: "ready", toolCount: 1 },
    { server: "b", phase: "ready", toolCount: 1 },
    { server: "c", phase: "faulted", state: "tripped", toolCount: 0 },
    { server: "d", phase: "ready", toolCount: 0, listFailure: "the database is locked" },
    { server: "e", phase: "faulted", state: "needs_login", toolCount: 0 },
  ] as unknown as readonly EndpointStatus[];
  const metrics = gatewayMetrics({
    version: "1.2.3",
    statuses: () => statuses,
    listener: () => ({ sessions: 3, requests: 2, streams: 1 }),
  });
  // Before the library is loaded, and after.
  metrics.count(record({ server: "a" }));
  metrics.count(record({ server: "a", outcome: "failed", ms: 90_000, resultBytes: 0 }));
  await metrics.page();
  metrics.count(record({}));
  const { type, text } = await metrics.page();
  expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = new Set(text.split("\n"));
  for (const line of [
    'indus_calls_total{server="a",outcome="ok"} 1',
    'indus_calls_total{server="a",outcome="failed"} 1',
    'indus_calls_total{server="indus",outcome="ok"} 1',
    'indus_call_duration_seconds_bucket{le="0.05",server="a"} 1',
    'indus_call_duration_seconds_bucket{le="120",server="a"} 2',
    'indus_call_duration_seconds_count{server="a"} 2',
    'indus_call_argument_bytes_total{server="a"} 20',
    'indus_call_result_bytes_total{server="a"} 100',
    'indus_servers{state="ready"} 2',
    'indus_servers{state="tripped"} 1',
    'indus_servers{state="list_failed"} 1',
    'indus_servers{state="needs_login"} 1',
    "indus_sessions 3",
    "indus_requests 2",
    "indus_streams 1",
    'indus_info{version="1.2.3"} 1',
  ])
    expect(lines).toContain(line);
  expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
  expect(text).not.toContain("secret");
});

verifies("operations:metrics", "servers that come and go do not add labels for ever", async () => {
  const metrics = gatewayMetrics({ version: "1", statuses: () => [], listener: () => undefined });
  await metrics.page();
  for (let at = 0; at < 1_000; at += 1) metrics.count(record({ server: `s${at}` }));
  const { text } = await metrics.page();
  expect(text.match(/^indus_calls_total\{/gm)).toHaveLength(201);
  expect(text).toContain('indus_calls_total{server="other",outcome="ok"} 800');
});
