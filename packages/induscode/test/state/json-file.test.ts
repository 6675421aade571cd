import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { promisify } from "node:util";
import {
  buildProgram,
  isRoot,
  ORDINARY_USER,
  runAsOrdinaryUser,
  type TempDir,
  tempDir,
  verifies,
} from "@indus/testkit";
import fc from "fast-check";
import { isRecord, tryFileLock } from "indusagi/core";
import { expect } from "vitest";
import { type JsonFile, openJsonFile, type StoreSchema, versionedJson } from "../../src/state/index.ts";

const POSIX = ["linux", "darwin"] as const;

interface Note {
  readonly text: string;
  readonly more?: unknown;
}

const NOTE = versionedJson<Note>({
  format: 3,
  parse: ({ text, ...rest }) => (typeof text === "string" ? { text, ...rest } : undefined),
  members: (note) => note,
});

const noteIn = (dir: TempDir, schema: StoreSchema<Note> = NOTE): JsonFile<Note> =>
  openJsonFile(dir.at("f", "a.json"), schema);

verifies("state:json-file", "what is written is read again, by another process too", async () => {
  await using dir = await tempDir();
  expect(noteIn(dir).read()).toEqual({ value: undefined });
  expect([noteIn(dir).stamp(), readdirSync(dir.path)]).toEqual(["", []]); // Nothing is made before the first write.
  const notes = fc.record({ text: fc.string(), more: fc.jsonValue() }, { requiredKeys: ["text"] });
  await fc.assert(
    fc.asyncProperty(notes, fc.boolean(), async (note, isSync) => {
      const file = noteIn(dir);
      if (isSync) file.write(note);
      else await file.writeAsync(note);
      const stored = JSON.parse(JSON.stringify(note)) as Note; // Without -0.
      expect(noteIn(dir).read()).toEqual({ value: stored });
      expect(readFileSync(file.path, "utf8")).toBe(`${JSON.stringify({ format: 3, ...note })}\n`);
    }),
    { numRuns: 50 },
  );
  expect(readdirSync(dir.at("f"))).toEqual(["a.json"]);
  if (process.platform !== "win32")
    expect([dir.at("f"), dir.at("f", "a.json")].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o700, 0o600,
    ]);
});

verifies("state:json-file", "a torn, changed or newer text is damage, and nothing else", async () => {
  await using dir = await tempDir();
  const file = noteIn(dir);
  file.write({ text: "a note" });
  const whole = readFileSync(file.path, "utf8");
  const clause = "is damaged, or of a newer version";
  const damaged = { problem: clause, reason: clause, isDamage: true };
  for (let end = 0; end < whole.length - 1; end++) {
    writeFileSync(file.path, whole.slice(0, end));
    expect(file.read(), whole.slice(0, end)).toEqual(damaged);
  }
  for (const text of ["null", "7", "[]", "{}", '{"text":"a"}', whole.replace(":3", ":4"), `\ufeff${whole}`]) {
    writeFileSync(file.path, text);
    expect(file.read(), text).toEqual(damaged);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: whole.length }), (bytes, at) => {
      const parts = [whole.slice(0, at), bytes, whole.slice(at + bytes.length)];
      writeFileSync(file.path, Buffer.concat(parts.map((part) => Buffer.from(part))));
      const reading = file.read();
      const isNote = "value" in reading && typeof reading.value?.text === "string";
      expect(isNote || ("problem" in reading && reading.isDamage)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

verifies("state:json-file", "each store says what its damage means, and a parser may throw", async () => {
  await using dir = await tempDir();
  const file = noteIn(dir, {
    ...NOTE,
    parse: () => {
      throw new TypeError("a bug");
    },
    damage: "is damaged; write it again",
  });
  file.write({ text: "a" });
  const reading = file.read();
  expect(reading).toMatchObject({ problem: "is damaged; write it again", isDamage: true });
});

function moveAndLink(path: string): void {
  renameSync(path, `${path}.moved`);
  symlinkSync(`${path}.moved`, path);
}

/** What may be in the place of a file, and what is said about it. */
const OTHERS: readonly {
  readonly what: string;
  readonly put: (path: string, folder: string) => void;
  readonly says: string;
}[] = [
  {
    what: "a file that others may read",
    put: (path) => chmodSync(path, 0o640),
    says: "is open to other users (mode 0640); if you trust its content, run chmod 600 on it",
  },
  {
    what: "a file in a folder that others may change",
    put: (_path, folder) => chmodSync(folder, 0o770),
    says: "is in a folder that other users may change (mode 0770); if you trust its content, run chmod 700",
  },
  {
    what: "a file in a linked folder",
    put: (_path, folder) => moveAndLink(folder),
    says: "is in a folder that is a symbolic link; remove the link",
  },
  {
    what: "a link",
    put: moveAndLink,
    says: "is a symbolic link; replace it by the file itself, or remove it",
  },
  {
    what: "a folder",
    put: (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    says: "is not a regular file; remove it",
  },
  {
    what: "a pipe, which would wait for a writer",
    put: (path) => {
      rmSync(path);
      execFileSync("mkfifo", ["-m", "600", path]);
    },
    says: "is not a regular file; remove it",
  },
  {
    what: "bytes that are no text",
    put: (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])),
    says: "is damaged, or of a newer version",
  },
  {
    what: "a file that is too large",
    put: (path) => writeFileSync(path, Buffer.alloc(4 * 1024 * 1024 + 1, " ")),
    says: "is larger than 4 MiB; remove it",
  },
];

for (const { what, put, says } of OTHERS)
  verifies(
    "state:json-file",
    `${what} is not used, and the reason names the way out`,
    async () => {
      await using dir = await tempDir();
      const file = noteIn(dir);
      file.write({ text: "a" });
      expect(file.current()).toEqual({ value: { text: "a" } });
      put(file.path, dir.at("f"));
      const reading = file.read();
      expect(reading).toMatchObject({ problem: expect.stringContaining(says) as string });
      expect("problem" in reading && reading.isOfFolder === true).toBe(says.includes("in a folder"));
    },
    { only: POSIX },
  );

verifies(
  "state:json-file",
  "a file or folder of another user is not used, also if the file is absent",
  async () => {
    await using dir = await tempDir();
    const file = noteIn(dir);
    file.write({ text: "a" });
    const says = `belongs to user ${ORDINARY_USER}, not to user 0`;
    chownSync(file.path, ORDINARY_USER, ORDINARY_USER);
    expect(file.read()).toMatchObject({ reason: says });
    expect(file.current()).toMatchObject({ reason: says });
    file.write({ text: "b" }); // By a rename, which makes it ours.
    expect(file.read()).toEqual({ value: { text: "b" } });
    chownSync(dir.at("f"), ORDINARY_USER, ORDINARY_USER);
    file.remove();
    expect(file.read()).toMatchObject({ reason: `is in a folder that ${says}`, isOfFolder: true });
    expect(file.current()).toMatchObject({ isOfFolder: true });
  },
  { only: POSIX, when: isRoot },
);

verifies(
  "state:json-file",
  "a folder that may only be read refuses every change, and the old content stays",
  async () => {
    await using dir = await tempDir();
    chmodSync(dir.path, 0o711);
    const file = noteIn(dir);
    file.write({ text: "old" });
    if (isRoot) for (const path of [file.path, dir.at("f")]) chownSync(path, ORDINARY_USER, ORDINARY_USER);
    chmodSync(dir.at("f"), 0o500);
    const program = new URL("read-only-program.ts", import.meta.url);
    const code = "EACCES";
    expect(await runAsOrdinaryUser(program, dir.at("f"))).toEqual({
      ...{ write: code, writeAsync: code, update: code, remove: code },
      now: { value: "old" },
    });
    chmodSync(dir.at("f"), 0o700);
    expect(readdirSync(dir.at("f"))).toEqual(["a.json"]);
  },
  { only: POSIX },
);

verifies("state:json-file", "a value that is too large is stored in a smaller form, or refused", async () => {
  await using dir = await tempDir();
  const maxBytes = 100;
  const halved = ({ text }: Note): Note | undefined =>
    text === "" ? undefined : { text: text.slice(0, text.length >> 1) };
  const file = noteIn(dir, { ...NOTE, maxBytes, smaller: halved });
  fc.assert(
    fc.property(fc.nat({ max: 1_000 }), (length) => {
      const stored = file.write({ text: "x".repeat(length) });
      expect(statSync(file.path).size).toBeLessThanOrEqual(maxBytes);
      expect(stored.text.length).toBe(length <= 75 ? length : stored.text.length);
      expect(noteIn(dir, { ...NOTE, maxBytes }).read()).toEqual({ value: stored });
      expect(file.current()).toEqual({ value: stored });
    }),
    { numRuns: 50 },
  );
  file.write({ text: "old" });
  const large = { text: "x".repeat(200) };
  for (const smaller of [undefined, () => undefined, (note: Note) => note]) {
    const strict = noteIn(dir, { ...NOTE, maxBytes, ...(smaller && { smaller }) });
    expect(() => strict.write(large)).toThrow("would be larger than");
    await expect(strict.writeAsync(large)).rejects.toThrow("would be larger than");
    expect(strict.read()).toEqual({ value: { text: "old" } });
  }
});

verifies("state:json-file", "an unchanged file is parsed once, and every change is seen", async () => {
  await using dir = await tempDir();
  let parsed = 0;
  const parse: StoreSchema<Note>["parse"] = (text) => {
    parsed += 1;
    return NOTE.parse(text);
  };
  noteIn(dir).write({ text: "a" });
  const file = noteIn(dir, { ...NOTE, parse });
  for (let time = 0; time < 3; time++) expect(file.current()).toEqual({ value: { text: "a" } });
  expect(parsed).toBe(1);
  noteIn(dir).write({ text: "b" });
  expect(file.current()).toEqual({ value: { text: "b" } });
  expect(parsed).toBe(2);
  file.write({ text: "c" }); // Its own write needs no reading.
  expect(file.current()).toEqual({ value: { text: "c" } });
  expect(parsed).toBe(2);
  expect(file.read()).toEqual({ value: { text: "c" } });
  expect(parsed).toBe(3);
  if (process.platform !== "win32") {
    chmodSync(file.path, 0o644);
    for (let time = 0; time < 2; time++)
      expect(file.current()).toMatchObject({ reason: "is open to other users (mode 0644)" });
    chmodSync(file.path, 0o600);
  }
  file.remove();
  file.remove(); // Another process may have been faster.
  expect(file.current()).toEqual({ value: undefined });
});

verifies("state:json-update", "an update may leave the file or refuse, and gets what is wrong", async () => {
  await using dir = await tempDir();
  const file = noteIn(dir);
  expect(await file.update(() => undefined)).toEqual({ value: undefined, stamp: "" });
  const { stamp } = await file.update((now) => ({ text: JSON.stringify(now) }));
  expect(stamp).toBe(file.stamp());
  expect(await file.update(() => undefined)).toEqual({ value: { text: "{}" }, stamp });
  const refusal = (): never => {
    throw new Error("no");
  };
  await expect(file.update(refusal)).rejects.toThrow("no");
  expect([file.stamp(), readdirSync(dir.at("f"))]).toEqual([stamp, ["a.json"]]);
  writeFileSync(file.path, "{");
  let seen: unknown;
  await file.update((now) => {
    seen = now;
    return undefined;
  });
  expect(seen).toMatchObject({ isDamage: true });
  expect(readFileSync(file.path, "utf8")).toBe("{");
});

verifies("state:json-update", "a change waits for another one for a limited time", async () => {
  await using dir = await tempDir();
  mkdirSync(dir.at("f"), { mode: 0o700 });
  const lock = await tryFileLock({ folder: dir.at("f"), name: "a.json" });
  if (!("release" in lock)) throw new Error("not locked");
  const file = openJsonFile(dir.at("f", "a.json"), NOTE, { lockMs: 50 });
  await expect(file.update(() => ({ text: "a" }))).rejects.toMatchObject({ kind: "locked" });
  expect(file.read()).toEqual({ value: undefined });
  const patient = openJsonFile(file.path, NOTE, { lockMs: 60_000 }).update(() => ({ text: "b" }));
  await lock.release();
  expect(await patient).toMatchObject({ value: { text: "b" } });
});

verifies(
  "state:json-update",
  "three processes change one file at the same time: nothing is lost",
  async () => {
    await using dir = await tempDir();
    using program = await buildProgram(new URL("counter-program.ts", import.meta.url));
    const run = promisify(execFile);
    const path = dir.at("f", "count.json");
    await Promise.all(["10", "10", "10"].map((times) => run(process.execPath, [program.path, path, times])));
    const found: unknown = JSON.parse(readFileSync(path, "utf8"));
    expect(isRecord(found) && found["count"]).toBe(30);
    expect(readdirSync(dir.at("f"))).toEqual(["count.json"]);
  },
);
