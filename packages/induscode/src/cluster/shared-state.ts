import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readConfigValue, userConfigPath } from "indusagi/config";
import { describeError, errorCode } from "indusagi/core";
import { openRun, type Run, type SharedState } from "../boot/internal.ts";
import type { DecisionRecord } from "../deck/ledger-log/index.ts";
import { pinFolder } from "../servers/pins/internal.ts";
import { openStateFolder } from "../state/index.ts";
import { ClusterError } from "./cluster-error.ts";
import { type ClusterAddress, type ClusterConnection, connectCluster } from "./connect-cluster.ts";
import { Bucket, StateKey } from "./contract.ts";
import { copyLedger } from "./ledger-segments.ts";
import { decisionLedger } from "./record-servers.ts";
import { clusterRows } from "./rows.ts";
import { clusterLogins, openSealedLogins } from "./sealed-logins.ts";
import { recordDecisions } from "./server-ledger.ts";
import { openSharedTexts } from "./shared-texts.ts";

/** Above it NATS refuses a message, by default. */
const MAX_FILE_BYTES = 900_000;

/**
 * Runs a command on the state of the cluster: the files that it reads and writes are copied into a private folder, and what it changed
 * is written back by compare-and-set. Its output is shown when that has succeeded, so nobody gets a token that does not exist.
 */
export async function inCluster(
  parent: Run,
  { keyFile, ...address }: ClusterAddress & { readonly keyFile?: string | undefined },
  work: (run: Run) => Promise<number>,
): Promise<number> {
  await using connection = await connectCluster(address, "indus command");
  const state = await connection.bucket(Bucket.STATE);
  const folder = await mkdtemp(join(tmpdir(), "indus-cluster-"));
  parent.defer(() => rm(folder, { recursive: true, force: true }));
  const workspace = join(folder, "cluster");
  await mkdir(workspace, { mode: 0o700 });
  const env = {
    ...parent.env,
    HOME: folder,
    USERPROFILE: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_STATE_HOME: join(folder, "state"),
    LOCALAPPDATA: join(folder, "state"),
  };
  const files = new Map<StateKey, string>([
    [StateKey.SERVERS, userConfigPath({ env }) ?? join(folder, "mcp.json")],
    [StateKey.TOKENS, join((await openStateFolder(workspace, env)).path, "tokens.json")],
  ]);
  const before = new Map<StateKey, { readonly text: string | undefined; readonly revision: number }>();
  for (const [key, file] of files) {
    const entry = await state.get(key);
    const text = entry?.operation === "PUT" ? entry.string() : undefined;
    before.set(key, { text, revision: entry?.revision ?? 0 });
    if (text === undefined) continue;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  }
  const out: string[] = [];
  const show = (): void => {
    for (const text of out.splice(0))
      parent.terminal.out(text.replaceAll(files.get(StateKey.SERVERS) ?? "", "the cluster's configuration"));
  };
  const { ask } = parent.terminal;
  const terminal = {
    ...parent.terminal,
    out: (text: string) => void out.push(text),
    // What is asked about has to be seen.
    ...(ask && { ask: async (...given: Parameters<typeof ask>) => (show(), ask(...given)) }),
  };
  let pins: Promise<CopiedPins> | undefined;
  const decisions: DecisionRecord[] = [];
  let code: number;
  {
    let copied: Promise<string> | undefined;
    const shared: SharedState = {
      ledger: decisionLedger(async (decision) => void decisions.push(decision), parent.report),
      logins: async () => {
        if (keyFile === undefined)
          throw new ClusterError(
            "invalid",
            "logins of a cluster need --key-file and the file that its workers have",
          );
        return clusterLogins(await openSealedLogins(connection, keyFile), parent.report);
      },
      ledgerFolder: () => (copied ??= copyLedger(connection, join(folder, "ledger"))),
      pinFolder: async () =>
        (await (pins ??= copyPins(connection, join(folder, "pinned"), parent.report))).folder,
    };
    await using run = await openRun({ terminal, env, cwd: workspace, signal: parent.signal, shared });
    code = await work(run);
  }
  const copied = await pins;
  // Also if the command decided about some changes only, and exits with 1 because of the others.
  await copied?.writeBack();
  await copied?.[Symbol.asyncDispose]();
  if (decisions.length > 0) await recordDecisions(connection, decisions);
  if (code === 0)
    for (const [key, file] of files) {
      const known = before.get(key);
      const text = await textOf(file);
      if (text === undefined || text === known?.text) continue;
      await writeState(connection, key, text, known?.revision ?? 0);
    }
  show();
  return code;
}

/** The pins of the cluster as files of a workspace. */
interface CopiedPins extends AsyncDisposable {
  /** The folder of a workspace that has them. */
  readonly folder: string;
  /** Rejects if a gateway changed the same pins meanwhile. */
  writeBack(): Promise<void>;
}

async function copyPins(
  connection: ClusterConnection,
  folder: string,
  report: (message: string) => void,
): Promise<CopiedPins> {
  const texts = await openSharedTexts(connection, Bucket.PINS, report);
  const before = new Map(texts.keys().map((key) => [key, texts.get(key)?.text]));
  const fileOf = (key: string): string => join(pinFolder(folder), `${key}.json`);
  await mkdir(pinFolder(folder), { recursive: true, mode: 0o700 });
  for (const [key, text = ""] of before) await writeFile(fileOf(key), text, { mode: 0o600 });
  return {
    folder,
    writeBack: async () => {
      for (const [key, known] of before) {
        const text = await textOf(fileOf(key));
        if (text === undefined || text === known) continue;
        await texts.update(key, (now) => {
          if (now === known) return text;
          throw new ClusterError(
            "conflict",
            "a server changed something else at the same time; nothing was decided about it, run the command again",
          );
        });
      }
    },
    [Symbol.asyncDispose]: () => texts[Symbol.asyncDispose](),
  };
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Replaces a file of the state. Rejects if somebody else did so since `revision`. */
export async function writeState(
  connection: ClusterConnection,
  key: StateKey,
  text: string,
  revision?: number,
): Promise<void> {
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new ClusterError(
      "invalid",
      `the cluster's ${key} would have more than ${MAX_FILE_BYTES} bytes; remove what is not used`,
    );
  if (key === StateKey.SERVERS) requireRows(text);
  const state = await connection.bucket(Bucket.STATE);
  const known = revision ?? (await state.get(key))?.revision ?? 0;
  try {
    if (known === 0) await state.create(key, text);
    else await state.update(key, text, known);
  } catch (cause) {
    const why = describeError(cause);
    if (/permission/i.test(why))
      throw new ClusterError(
        "refused",
        `this user may not write the cluster's ${key}: NATS allows it to admins only`,
        { cause },
      );
    if (/wrong last sequence|key exists/i.test(why))
      throw new ClusterError(
        "conflict",
        `somebody else changed the cluster's ${key} at the same time; nothing was changed, run the command again`,
        { cause },
      );
    throw new ClusterError("unreachable", `the cluster's ${key} was not written: ${why}`, { cause });
  }
}

function requireRows(text: string): void {
  const reading = readConfigValue(text);
  if ("problem" in reading)
    throw new ClusterError("invalid", `line ${reading.line} of the configuration ${reading.problem}`);
  for (const { server, problem } of clusterRows(text).values())
    if (problem !== undefined) throw new ClusterError("invalid", `server "${server}": ${problem}`);
}
