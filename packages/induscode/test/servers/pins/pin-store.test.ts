import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { bytesHash } from "indusagi/core";
import { approveChanges, dropUnusablePins, waitingChanges } from "induscode/deck";
import { expect } from "vitest";
import { listedOnce, row, sampled, tool } from "./sample-server.ts";

const pinFiles = (folder: string): string[] =>
  readdirSync(join(folder, "pins")).map((name) => join(folder, "pins", name));

verifies("pins:store", "files are private, and a listing that is pinned writes nothing", async () => {
  await using dir = await tempDir();
  await listedOnce(dir.path, [tool()]);
  const [file = "", ...others] = pinFiles(dir.path);
  expect(others).toEqual([]);
  if (process.platform !== "win32") {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir.path, "pins")).mode & 0o777).toBe(0o700);
  }
  const { ino } = statSync(file);
  await listedOnce(dir.path, [tool()]);
  expect(statSync(file).ino).toBe(ino);
});

verifies(
  "pins:store",
  "a file that is damaged anywhere, or open to others, withholds all; approving with --all accepts what is offered",
  async () => {
    await using dir = await tempDir();
    await listedOnce(dir.path, [tool()]);
    const [file = ""] = pinFiles(dir.path);
    const whole = readFileSync(file);
    const flips = [0, 70, Math.floor(whole.length / 2), whole.length - 3];
    const damages = flips.map((at) => {
      const copy = Buffer.from(whole);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    });
    for (const damaged of [...damages, Buffer.alloc(0), whole.subarray(0, 100), Buffer.from("{}")]) {
      writeFileSync(file, damaged);
      const { offered, withheld, reports } = await listedOnce(dir.path, [tool()]);
      expect(offered).toEqual([]);
      expect(withheld.get("find")).toBe(
        `tool "find" of server "notes" is quarantined: ${file} is damaged, or of a newer version. To accept what the server offers now: indus mcp approve --all notes`,
      );
      expect(reports).toHaveLength(1);
      expect(readFileSync(file)).toEqual(damaged); // It is evidence until the user decides.
    }
    expect((await listedOnce(dir.path, [tool()], row({ pin: "warn" }))).offered).toEqual([tool()]);
    expect(waitingChanges(dir.path)).toMatchObject({ changes: [], unusable: [{ path: file }] });
    expect(dropUnusablePins(dir.path, [row({ id: "other" })])).toEqual([]);
    expect(dropUnusablePins(dir.path, [row()])).toHaveLength(1);
    expect((await listedOnce(dir.path, [tool()])).offered).toEqual([tool()]);
    if (process.platform === "win32") return;
    chmodSync(file, 0o644);
    expect((await listedOnce(dir.path, [tool()])).withheld.get("find")).toContain("is open to other users");
  },
);

verifies(
  "pins:formula",
  "a file of another formula is compared by its forms, and pinned again silently",
  async () => {
    await using dir = await tempDir();
    await listedOnce(dir.path, [tool(), tool({ name: "large" })]);
    const [file = ""] = pinFiles(dir.path);
    const body = JSON.parse(readFileSync(file, "utf8").split("\n")[1] ?? "") as {
      formula: number;
      pins: [string, { hash: string; form?: object }][];
    };
    body.formula = 0;
    for (const [, pin] of body.pins) pin.hash = "0".repeat(32);
    delete body.pins[1]?.[1].form; // Its hash cannot be made again.
    const text = JSON.stringify(body);
    writeFileSync(file, `${bytesHash(text)}\n${text}\n`);
    const { offered, records, reports } = await listedOnce(dir.path, [tool(), tool({ name: "large" })]);
    expect({ offered, records, reports }).toMatchObject({ offered: [{}, {}], records: [], reports: [] });
    expect((await listedOnce(dir.path, [tool({ description: "x" })])).records).toMatchObject([
      { op: "hold" },
    ]);
  },
);

verifies(
  "pins:writers",
  "a run that pins new tools does not undo an approval of another process",
  async () => {
    await using dir = await tempDir();
    await listedOnce(dir.path, [tool()]);
    const dangerous = tool({ annotations: { readOnlyHint: true } });
    await using serving = sampled(dir.path, { pollMs: 1_000_000 });
    serving.list([dangerous]);
    await serving.pins.stored();
    await approveChanges(dir.path, waitingChanges(dir.path).changes);
    // It has not seen the approval yet, and stores more.
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        serving.list([dangerous, tool({ name: `t${at}` })]);
        await serving.pins.stored();
        await listedOnce(dir.path, [dangerous, tool({ name: `u${at}` })]);
      }),
    );
    expect(waitingChanges(dir.path).changes).toEqual([]);
    const names = Array.from({ length: 20 }, (_, at) => [`t${at}`, `u${at}`]).flat();
    const changed = names.map((name) => tool({ name, description: "x" }));
    expect((await listedOnce(dir.path, changed)).records).toHaveLength(40); // Every one was pinned.
  },
);

verifies("pins:store", "a disk that refuses is reported once, and the tools are offered", async () => {
  await using dir = await tempDir();
  writeFileSync(join(dir.path, "pins"), "");
  await using run = sampled(dir.path);
  for (const name of ["a", "b"]) {
    expect(run.list([tool({ name })]).offered).toHaveLength(1);
    await run.pins.stored();
  }
  expect(run.reports).toHaveLength(1);
  expect(run.reports[0]).toContain("the approved forms of tools cannot be stored: ");
});
