import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { promisify } from "node:util";
import { buildProgram, type TempDir, tempDir, verifies } from "@indus/testkit";
import { openTrustStore, TrustError } from "induscode/deck";
import { expect } from "vitest";
import { shown, world } from "./kit.ts";

const A = "a".repeat(32);
const B = "b".repeat(32);

const files = (dir: TempDir): string[] =>
  readdirSync(dir.at("state", "trust")).map((name) => dir.at("state", "trust", name));

verifies("trust:store", "decisions outlive the store, and forgetting removes all of a server", async () => {
  await using dir = await tempDir();
  const store = openTrustStore(dir.at("state"));
  expect([store.decision("s", A), store.decisions(), store.forget("s")]).toEqual([undefined, [], 0]);
  store.approve("s", A);
  store.refuse("s", B);
  store.approve("other", A);
  const again = openTrustStore(dir.at("state"));
  expect(again.decision("s", A)).toMatchObject({ server: "s", launch: A, verdict: "approved" });
  expect(again.decision("s", B)).toMatchObject({ verdict: "refused" });
  expect(again.decision("other", B)).toBe(undefined);
  again.refuse("s", A);
  expect(store.decision("s", A)).toMatchObject({ verdict: "refused" });
  expect(store.forget("s")).toBe(2);
  expect(again.decisions()).toMatchObject([{ server: "other" }]);
  expect(() => store.approve("s", "../x")).toThrow(TrustError);
});

verifies("trust:store", "files are private and contain no value of the launch", async () => {
  await using dir = await tempDir();
  const { project, discover, trust } = world(dir);
  project({ s: { command: "run-me", args: ["arg-value"], env: { K: "env-value", T: "${TOKEN}" } } });
  trust.approve("s", discover().servers[0]?.launch ?? "");
  expect(shown(discover())).toEqual(["project s approved"]);
  const [file = "", ...others] = files(dir);
  expect(others).toEqual([]);
  expect(readFileSync(file, "utf8")).not.toMatch(/run-me|arg-value|env-value|secret-value|TOKEN/);
  if (process.platform !== "win32")
    expect([file, dir.at("state", "trust")].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o600, 0o700,
    ]);
});

verifies(
  "trust:damage",
  "a damaged, copied or open file approves nothing and is one diagnostic",
  async () => {
    await using dir = await tempDir();
    const { project, discover, trust } = world(dir);
    const place = project({ s: { command: "x" } });
    const launch = discover().servers[0]?.launch ?? "";
    trust.approve("s", launch);
    const [file = ""] = files(dir);
    const whole = readFileSync(file, "utf8");
    const expectRefused = (why: string): void => {
      const found = discover();
      expect(shown(found)).toEqual(["project s pending"]);
      expect(found.diagnostics).toMatchObject([
        { file: place, line: 1, message: `the stored decision about server "s" ${why}; decide again` },
      ]);
    };
    const damaged = "is damaged, or of a newer version";
    for (let length = 0; length < whole.length - 1; length += 7) {
      writeFileSync(file, whole.slice(0, length));
      expectRefused(damaged);
    }
    for (const text of ["null", "7", whole.replace('"approved"', "true"), whole.replace(":1,", ":2,")]) {
      writeFileSync(file, text);
      expectRefused(damaged);
    }
    writeFileSync(file, whole);
    expect(shown(discover())).toEqual(["project s approved"]);
    if (process.platform !== "win32") {
      chmodSync(file, 0o622);
      expectRefused(
        `in ${file} is open to other users (mode 0622); if you trust its content, run chmod 600 on it, otherwise remove it`,
      );
      chmodSync(file, 0o600);
    }
    trust.approve("other", A);
    const [other = ""] = files(dir).filter((path) => path !== file);
    copyFileSync(other, file);
    expectRefused("is about another server");
    trust.approve("s", launch);
    expect(shown(discover())).toEqual(["project s approved"]);
  },
);

verifies("trust:damage", "a store that cannot be written says so and approves nothing", async () => {
  await using dir = await tempDir();
  mkdirSync(dir.at("state"));
  writeFileSync(dir.at("state", "trust"), "in the way");
  const store = openTrustStore(dir.at("state"));
  expect(() => store.approve("s", A)).toThrow(expect.objectContaining({ kind: "unwritable" }));
  expect([store.decision("s", A), store.decisions()]).toEqual([undefined, []]);
});

verifies("trust:writers", "three processes decide at the same time, and nothing is lost", async () => {
  await using dir = await tempDir();
  using program = await buildProgram(new URL("trust-writer.ts", import.meta.url));
  const run = promisify(execFile);
  const decide = (id: string) => run(process.execPath, [program.path, dir.at("state"), id]);
  await Promise.all(["x", "y", "z"].map(decide));
  expect(openTrustStore(dir.at("state")).decisions()).toHaveLength(60);
  expect(files(dir)).toHaveLength(60);
});
