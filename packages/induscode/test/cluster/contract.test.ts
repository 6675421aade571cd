import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { chooseWorker, isAtLeast, type NodeRecord, ownerKey, subjects } from "../../src/cluster/contract.ts";
import { clusterRows, gatewayConfiguration } from "../../src/cluster/rows.ts";

function node(id: string, more: Partial<NodeRecord> = {}): NodeRecord {
  return { role: "worker", id, name: id, version: "1", startedAt: "", ...more };
}

verifies(
  "cluster:placement",
  "the least loaded worker with the labels is chosen, and no full or draining one",
  () => {
    const workers = [
      node("a", { load: 3, labels: ["gpu", "big"] }),
      node("b", { load: 1 }),
      node("c", { load: 5, labels: ["gpu"] }),
      node("d", { load: 0, draining: true }),
      node("e", { load: 0, capacity: 0 }),
      node("f", { role: "gateway" }),
    ];
    expect(chooseWorker(workers, { labels: [] })?.id).toBe("b");
    expect(chooseWorker(workers, { labels: ["gpu"] })?.id).toBe("a");
    expect(chooseWorker(workers, { labels: ["gpu"] }, new Set(["a"]))?.id).toBe("c");
    expect(chooseWorker(workers, { labels: ["tpu"] })).toBeUndefined();
  },
);

verifies(
  "cluster:rows",
  "a gateway's rows have filters and limits, but no command, argument, value or address",
  () => {
    const text = JSON.stringify({
      mcpServers: {
        a: {
          command: "run-it",
          args: ["--secret-word"],
          env: { KEY: "hidden-value" },
          includeTools: ["x"],
          placement: { labels: ["gpu"] },
        },
        b: { url: "https://hidden.example/mcp", headers: { Authorization: "hidden-token" }, timeout: 5 },
        c: { command: "x", placement: { labels: [] } },
      },
    });
    const rows = clusterRows(text);
    expect(rows.get("a")?.placement.labels).toEqual(["gpu"]);
    expect(rows.get("c")?.problem).toContain('"placement"');
    const shown = gatewayConfiguration(rows.values());
    expect(shown).not.toMatch(/run-it|secret-word|hidden/);
    const { mcpServers } = JSON.parse(shown) as {
      readonly mcpServers: Record<string, Record<string, unknown>>;
    };
    expect(mcpServers["a"]?.["includeTools"]).toEqual(["x"]);
    expect(mcpServers["b"]?.["timeout"]).toBe(5);
  },
);

verifies("cluster:refused", "an address that is not safe is refused before anything is sent", async () => {
  const refusal = (urls: readonly string[], creds?: string): Promise<string> =>
    connectCluster({ urls, creds }, "test").then(
      () => "connected",
      (thrown: Error) => thrown.message,
    );
  expect(await refusal(["nats://10.0.0.1:4222"], "file")).toContain("needs TLS and credentials");
  expect(await refusal(["tls://10.0.0.1:4222"])).toContain("--cluster-creds FILE");
  const withSecret = await refusal(["nats://me:hunter2@127.0.0.1:4222"]);
  expect(withSecret).toContain("--cluster-creds");
  expect(withSecret).not.toContain("hunter2");
  expect(await refusal(["http://127.0.0.1:4222"])).toContain("nats://127.0.0.1:4222");
  expect(await refusal(["nats://127.0.0.1:4222"], "/no/such/file")).toContain("/no/such/file cannot be read");
  expect([
    isAtLeast("2.9.10", "2.12.0"),
    isAtLeast("2.12.0", "2.12.0"),
    isAtLeast("3.0.0-beta", "2.12.0"),
  ]).toEqual([false, true, true]);
});

verifies("cluster:placement", "the names that nodes use with each other", () => {
  expect(subjects.all("worker", "W")).toBe("indus.w.W.>");
  expect(subjects.forward("G")).toBe("indus.g.G.forward");
  expect(subjects.permits("G")).toBe("indus.g.G.permits");
  expect(subjects.open("W")).toBe("indus.w.W.open");
  expect(subjects.link("gateway", "G", "L")).toBe("indus.g.G.l.L");
  expect(ownerKey("a/b c")).toBe("YS9iIGM");
});
