import { randomBytes } from "node:crypto";
import { natsServer, startNats, tempDir, verifiesTogether } from "@indus/testkit";
import { expect } from "vitest";
import { connectCluster } from "../../src/cluster/connect-cluster.ts";
import { Bucket } from "../../src/cluster/contract.ts";
import { setUpCluster } from "../../src/cluster/set-up-cluster.ts";
import { sharedCatalogue } from "../../src/cluster/shared-catalogue.ts";
import { openSharedTexts } from "../../src/cluster/shared-texts.ts";
import { eventually } from "../bin/run-indus.ts";

const options = { when: natsServer !== undefined, timeoutMs: 60_000 } as const;
const problems: string[] = [];
const report = (message: string): void => void problems.push(message);

verifiesTogether(
  "cluster:catalogue",
  "texts of any size reach other gateways and those that come later, and no change of two writers is lost",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    const address = { urls: [nats.url] };
    await using first = await connectCluster(address, "first");
    await setUpCluster(first, {});
    await using second = await connectCluster(address, "second");
    await using here = await openSharedTexts(first, Bucket.CATALOGUE, report);
    await using there = await openSharedTexts(second, Bucket.CATALOGUE, report);

    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 === 0 ? here : there).update("count", (now = "0") => String(Number(now) + 1)),
      ),
    );
    for (const texts of [here, there])
      expect(await eventually(() => (texts.get("count")?.text === "40" ? true : undefined))).toBe(true);

    // Random, so packing does not make it small.
    const large = randomBytes(1_500_000).toString("hex");
    await here.update("large", () => large);
    await eventually(() => (there.get("large")?.text === large ? true : undefined));
    await using later = await openSharedTexts(second, Bucket.CATALOGUE, report);
    expect(later.get("large")?.text === large).toBe(true);
    const bodies = await first.bucket(Bucket.BODIES);
    const parts = async (): Promise<number> => {
      let count = 0;
      for await (const _ of await bodies.keys()) count += 1;
      return count;
    };
    expect(await parts()).toBeGreaterThan(2);
    await there.update("large", () => "small now");
    await eventually(async () => ((await parts()) === 0 ? true : undefined));
    await eventually(() => (here.get("large")?.text === "small now" ? true : undefined));
    expect(problems).toEqual([]);
  },
  options,
);

verifiesTogether(
  "cluster:catalogue",
  "a listing is written once, whichever gateways list it, and a server's start says nothing to others",
  async () => {
    await using dir = await tempDir();
    await using nats = await startNats(dir.at("nats"));
    await using connection = await connectCluster({ urls: [nats.url] }, "test");
    await setUpCluster(connection, {});
    await using texts = await openSharedTexts(connection, Bucket.CATALOGUE, report);
    await using other = await openSharedTexts(connection, Bucket.CATALOGUE, report);
    await using one = sharedCatalogue(texts, { report });
    await using two = sharedCatalogue(other, { report });
    const launch = "a".repeat(32);
    const listing = { tools: [{ name: "find", inputSchema: { type: "object" } }], capabilities: {} } as const;
    one.ready(launch, "notes", 12);
    one.failed(launch, "notes");
    expect(two.entry(launch)).toBeUndefined();
    one.listed(launch, "notes", listing);
    expect(one.entry(launch)).toMatchObject({ failures: 1, listing });
    await one.flush();
    await eventually(() => two.entry(launch)?.listing);
    expect(two.entry(launch)).toMatchObject({ server: "notes", failures: 0, listing });
    two.listed(launch, "notes", structuredClone(listing));
    await two.flush();
    expect(other.get(launch)?.revision).toBe(texts.get(launch)?.revision);
    const revision = texts.get(launch)?.revision ?? 0;
    one.listed(launch, "notes", { ...listing, tools: [] });
    await one.flush();
    expect(texts.get(launch)?.revision).toBeGreaterThan(revision);
  },
  options,
);
