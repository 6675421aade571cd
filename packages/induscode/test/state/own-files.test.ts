import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isRoot, ORDINARY_USER, type TempDir, tempDir, verifies } from "@indus/testkit";
import { createFileTokenStore } from "indusagi/interop";
import { openRuleFile } from "induscode/conductor";
import { expect } from "vitest";
import { readConnection, writeConnection } from "../../src/commands/client/connection-record.ts";
import { openTokenStore } from "../../src/gateway/index.ts";
import {
  keepLastStates,
  openCatalogue,
  openClashedUris,
  readLastStates,
} from "../../src/servers/memory/index.ts";
import { openPathCache } from "../../src/servers/open/path-cache.ts";
import { openTrustStore } from "../../src/servers/trust/index.ts";
import { openInputStore } from "../../src/state/index.ts";
import { listedOnce, tool } from "../servers/pins/sample-server.ts";

const POSIX = ["linux", "darwin"] as const;
const LAUNCH = "a".repeat(32);

/** One kind of file in which we keep something. */
interface Kept {
  /** Writes it. */
  readonly keep: (folder: string) => unknown;
  /** What a new process does with it: uses it, or says why not. */
  readonly use: (folder: string) => Promise<{ readonly isUsed: boolean; readonly said?: string | undefined }>;
  /** The text of the file. Users have such files: another form needs another number, and code that reads this one. */
  readonly form: RegExp;
  /** Nothing is said where the content is made again without a loss. */
  readonly isSilent?: true;
}

const said = async (work: () => unknown): Promise<{ isUsed: boolean; said?: string }> => {
  try {
    await work();
    return { isUsed: true };
  } catch (thrown) {
    return { isUsed: false, said: (thrown as Error).message };
  }
};

const ACCOUNT = { server: "https://a.example/mcp", principal: "ada" };
const RECORD = { file: "/client.json", after: "x", moved: [] };
const STATE = { server: "s", tool: "t", fingerprint: "f", isLive: true, since: "a", at: "b" };
const env = { HOME: "/nowhere", SHELL: "/bin/sh" };

const KEPT: { readonly [what: string]: Kept } = {
  pins: {
    form: /^[0-9a-f]{64}\n\{"format":1,"formula":1,"server":"[^"]+","source":"[^"]+",.*"pins":\[\["tool\/find",\{"hash":"[0-9a-f]{32}","form":\{.*\}\}\]\]\}\n$/,
    keep: (folder) => listedOnce(folder, [tool()]),
    use: async (folder) => {
      // A tool that changed for the worse: a first sight would offer it.
      const { offered, reports } = await listedOnce(folder, [tool({ annotations: { readOnlyHint: true } })]);
      expect(offered).toEqual([]);
      const isUsed = !/belongs|open|link|change \(/.test(reports.join());
      return { isUsed, said: isUsed ? undefined : reports.join("\n") };
    },
  },
  "a decision": {
    form: /^\{"format":1,"server":"s","launch":"a{32}","verdict":"approved","at":"[^"]{24}"\}\n$/,
    keep: (folder) => openTrustStore(folder).approve("s", LAUNCH),
    use: async (folder) => {
      const reading = openTrustStore(folder).decision("s", LAUNCH);
      if (!reading) throw new Error("the decision is gone");
      return "problem" in reading ? { isUsed: false, said: reading.problem } : { isUsed: true };
    },
  },
  "gateway tokens": {
    form: /^\{\n {2}"format": 1,\n {2}"tokens": \[\n {4}\{\n {6}"id": "[0-9a-f]{10}",\n {6}"name": "ada",\n {6}"hash": "[0-9a-f]{64}",\n {6}"createdAt": "[^"]{24}"\n {4}\}\n {2}\]\n\}\n$/,
    keep: (folder) => openTokenStore(folder).add("ada", {}),
    use: (folder) => said(() => expect(openTokenStore(folder).list()).toHaveLength(1)),
  },
  "a login": {
    form: /^\{\n {2}"version": 1,\n {2}"server": "https:\/\/a\.example\/mcp",\n {2}"principal": "ada",\n {2}"issuer": "https:\/\/i\.example",\n {2}"client": \{\},\n {2}"savedAtMs": 1\n\}\n$/,
    keep: (folder) =>
      createFileTokenStore(join(folder, "logins")).save(
        { ...ACCOUNT, issuer: "https://i.example" },
        { client: {}, savedAtMs: 1 },
      ),
    use: (folder) =>
      said(async () =>
        expect(await createFileTokenStore(join(folder, "logins")).find(ACCOUNT)).toHaveLength(1),
      ),
  },
  answers: {
    form: /^\{"format":1,"inputs":\{"i":\{"file":"\/f","id":"i","value":"v"\}\}\}\n$/,
    keep: (folder) => openInputStore(folder).keep({ file: "/f", id: "i" }, "v"),
    use: (folder) => said(() => expect(openInputStore(folder).values()).toEqual({ i: "v" })),
  },
  "kept rules": {
    form: /^\{\n {2}"format": 1,\n {2}"allow": \[\n {4}"edit"\n {2}\]\n\}\n$/,
    keep: (folder) => openRuleFile(join(folder, "rules.json"), () => {}).add("edit"),
    use: async (folder) => {
      const reports: string[] = [];
      const rules = openRuleFile(join(folder, "rules.json"), (message) => void reports.push(message)).list();
      return { isUsed: rules.length > 0, said: reports.join("\n") };
    },
  },
  "a catalogue": {
    form: /^\{"format":2,"launch":"a{32}","server":"s","failures":0,"readyMs":100\}\n$/,
    keep: async (folder) => {
      await using catalogue = openCatalogue(join(folder, "catalogue"), { report: () => {} });
      catalogue.ready(LAUNCH, "s", 100);
    },
    use: async (folder) => {
      const reports: string[] = [];
      const report = (message: string): void => void reports.push(message);
      await using catalogue = openCatalogue(join(folder, "catalogue"), { report });
      const isUsed = catalogue.head(LAUNCH) !== undefined;
      expect(catalogue.entry(LAUNCH) !== undefined).toBe(isUsed);
      return { isUsed, said: reports.join("\n") };
    },
  },
  "clashed URIs": {
    form: /^\{"format":1,"uris":\[\["x:\/\/1",\["a","b"\]\]\]\}\n$/,
    keep: async (folder) => {
      await using clashes = openClashedUris(folder, { report: () => {} });
      clashes.add(new Map([["x://1", ["a", "b"]]]));
    },
    use: async (folder) => {
      const reports: string[] = [];
      const report = (message: string): void => void reports.push(message);
      await using clashes = openClashedUris(folder, { report });
      return { isUsed: clashes.serversOf("x://1") !== undefined, said: reports.join("\n") };
    },
  },
  "last states": {
    form: /^\{"format":1,"states":\[\{"server":"s","tool":"t","fingerprint":"f","isLive":true,"since":"a","at":"b"\}\]\}\n$/,
    keep: (folder) => keepLastStates(join(folder, "catalogue"), [STATE]),
    use: async (folder) => ({ isUsed: readLastStates(join(folder, "catalogue")).length > 0 }),
    isSilent: true,
  },
  "the PATH": {
    form: /^\{"format":1,"basis":"[0-9a-f]{32}","atMs":\d+,"path":"\/bin"\}\n$/,
    keep: (folder) => openPathCache(folder, { env }).write("/bin"),
    use: async (folder) => ({ isUsed: openPathCache(folder, { env }).read() === "/bin" }),
    isSilent: true,
  },
  "a connection": {
    form: /^\{"format":1,"file":"\/client\.json","after":"x","moved":\[\]\}\n$/,
    keep: (folder) => writeConnection(folder, RECORD),
    use: async (folder) => ({ isUsed: readConnection(folder, RECORD.file) !== undefined }),
    isSilent: true,
  },
};

/** The file that was kept, without what is only derived from it. */
function fileOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".json") && !name.startsWith("reviewed"));
  expect(files).toHaveLength(1);
  return join(folder, files[0] ?? "");
}

/** What may have happened to a file, how it is undone, and what is said about it. */
type Change = (path: string) => { readonly undo: () => void; readonly says: string };

const withMode = (of: (path: string) => string, mode: number, old: number): Change => {
  const shown = mode.toString(8).padStart(4, "0");
  return (path) => {
    chmodSync(of(path), mode);
    return { undo: () => chmodSync(of(path), old), says: `(mode ${shown})` };
  };
};
const itself = (path: string): string => path;
const MODES: readonly Change[] = [
  ...[0o640, 0o604, 0o620, 0o602, 0o666].map((mode) => withMode(itself, mode, 0o600)),
  ...[0o720, 0o702, 0o1777].map((mode) => withMode(dirname, mode, 0o700)),
  (path) => {
    renameSync(path, `${path}.moved`);
    symlinkSync(`${path}.moved`, path);
    return { undo: () => renameSync(`${path}.moved`, path), says: "symbolic link" };
  },
];
const withOwner = (of: (path: string) => string): Change => {
  return (path) => {
    chownSync(of(path), ORDINARY_USER, ORDINARY_USER);
    return { undo: () => chownSync(of(path), 0, 0), says: `belongs to user ${ORDINARY_USER}, not to user 0` };
  };
};
const OWNERS: readonly Change[] = [withOwner(itself), withOwner(dirname)];

async function expectWithheld(dir: TempDir, { keep, use, isSilent }: Kept, changes: readonly Change[]) {
  await keep(dir.path);
  const path = fileOf(dir.path);
  expect(await use(dir.path)).toMatchObject({ isUsed: true });
  for (const change of changes) {
    const { undo, says } = change(path);
    const { isUsed, said: words = "" } = await use(dir.path);
    expect(isUsed, says).toBe(false);
    if (!isSilent) {
      expect(words).toContain(says);
      expect(words).toContain(dirname(path));
      expect(words).toMatch(
        /; (if you trust its content, run ch|replace it|remove|it is replaced|it is rewritten)/,
      );
      expect(words).not.toContain("\n");
    }
    undo();
    expect(await use(dir.path), `${says} undone`).toMatchObject({ isUsed: true });
  }
}

for (const [what, kept] of Object.entries(KEPT)) {
  verifies("state:json-file", `${what}: the file has the form that users have`, async () => {
    await using dir = await tempDir();
    await kept.keep(dir.path);
    expect(readFileSync(fileOf(dir.path), "utf8")).toMatch(kept.form);
  });
  verifies(
    "state:own-files",
    `${what}: a file or folder that others may change, or a link, is not used`,
    async () => {
      await using dir = await tempDir();
      await expectWithheld(dir, kept, MODES);
    },
    { only: POSIX },
  );
  verifies(
    "state:own-files",
    `${what}: a file or folder of another user is not used`,
    async () => {
      await using dir = await tempDir();
      await expectWithheld(dir, kept, OWNERS);
    },
    { only: POSIX, when: isRoot },
  );
}

verifies(
  "state:own-files",
  "a pin that is gone from a folder of others is no first sight",
  async () => {
    await using dir = await tempDir();
    await listedOnce(dir.path, [tool()]);
    unlinkSync(fileOf(dir.path));
    chmodSync(dir.at("pins"), 0o777);
    const { offered, reports } = await listedOnce(dir.path, [tool()]);
    expect(offered).toEqual([]);
    expect(reports).toEqual([
      expect.stringContaining("is in a folder that other users may change (mode 0777)"),
    ]);
    expect(readdirSync(dir.at("pins"))).toEqual([]);
  },
  { only: POSIX },
);

verifies(
  "state:own-files",
  "a catalogue that is not used is written again, for its owner alone",
  async () => {
    await using dir = await tempDir();
    const kept = KEPT["a catalogue"] as Kept;
    await kept.keep(dir.path);
    const path = fileOf(dir.path);
    chmodSync(path, 0o666);
    if (isRoot) chownSync(path, ORDINARY_USER, ORDINARY_USER);
    expect(await kept.use(dir.path)).toMatchObject({ isUsed: false });
    await kept.keep(dir.path);
    expect(await kept.use(dir.path)).toEqual({ isUsed: true, said: "" });
    const { uid, mode } = statSync(path);
    expect([uid, mode & 0o777]).toEqual([process.getuid?.(), 0o600]);
  },
  { only: POSIX },
);
