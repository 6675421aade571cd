import { describeError } from "indusagi/core";
import { type Edits, type Run, stdioLaunch } from "../../boot/internal.ts";
import {
  type ClientServer,
  clientById,
  connectedText,
  isGateway,
  rowIn,
  type WritePlace,
  writePlace,
} from "../../clients/index.ts";
import type { ConnectRequest } from "../../launch/internal.ts";
import { showDifference } from "../../screen/index.ts";
import { hiding } from "../edit/rows/hide-secrets.ts";
import { tellEdit } from "../edit/tell-edit.ts";
import { type ConnectionRecord, readRecord, textHash, writeRecord } from "./connection-record.ts";
import { disconnect } from "./disconnect.ts";
import { type Moving, moveServers } from "./move-servers.ts";

/** `indus connect`: writes a client's file so that the client starts our gateway, or takes that back. */
export async function connect(run: Run, request: ConnectRequest): Promise<number> {
  const client = clientById(request.client);
  try {
    const edits = await run.edits();
    const at = client && writePlace(client, edits.world, request.scope);
    if (!at) {
      run.report(`${client?.title ?? request.client} has no file of a project; leave --scope out`);
      return 2;
    }
    return request.undo
      ? await disconnect(run, edits, at, request)
      : await write(run, edits, { at, request });
  } catch (thrown) {
    run.report(describeError(thrown));
    return 1;
  }
}

interface Connecting {
  readonly at: WritePlace;
  readonly request: ConnectRequest;
}

async function write(run: Run, edits: Edits, { at, request }: Connecting): Promise<number> {
  const { client, place } = at;
  const launch = stdioLaunch({
    sources: request.sources,
    // A client that starts us elsewhere would use the wrong project.
    ...(client.startsInProject ? {} : { cwd: run.cwd }),
  });
  const moving: Moving = request.move
    ? await moveServers(run, edits, { at, write: !request.dryRun })
    : { servers: [], moved: [], isComplete: true };
  let record: ConnectionRecord | undefined;
  const edit = await edits.editFile(
    place.file,
    async (text) => {
      const after = await connectedText(text, at, { launch, moved: moving.servers });
      record = await recordOf(edits, { at, text, after, moving });
      return after;
    },
    { write: !request.dryRun },
  );
  if (!edit.isChanged) {
    run.terminal.out(`${client.title} is connected already, in ${edit.path}\n`);
    return 0;
  }
  run.terminal.out(showDifference(hidden(edit.difference, moving.servers), run.terminal.outLook));
  if (request.dryRun) {
    run.report(`nothing was written to ${edit.path}; leave --dry-run out to write it`);
    return 0;
  }
  const kept =
    record?.backup === undefined && record ? record : record && { ...record, backup: edit.backup ?? null };
  if (kept) writeRecord(edits.root, kept);
  tellEdit(run, `connected ${client.title}, in`, edit);
  const undo = `to take it back: indus connect ${client.id}${place.scope === "project" ? " --scope project" : ""} --undo`;
  run.report(
    client.followsFile ? `${client.title} reads its file by itself` : `to use it, ${client.restart}`,
  );
  run.report(undo);
  if (launch.args[0]?.includes("_npx"))
    run.report(
      "this copy of indus is in the cache of npx, which may be cleared; npm i -g induscode keeps one",
    );
  return moving.isComplete ? 0 : 1;
}

/** A record of an earlier connection keeps its copy of the file: only that one is without us. */
async function recordOf(
  edits: Edits,
  {
    at,
    text,
    after,
    moving,
  }: {
    readonly at: WritePlace;
    readonly text: string | undefined;
    readonly after: string;
    readonly moving: Moving;
  },
): Promise<ConnectionRecord> {
  const { file } = at.place;
  const earlier = readRecord(edits.root, file);
  const present = await rowIn(text, at, "indus");
  const wasConnected = present !== undefined && isGateway(present);
  const isUntouched = earlier !== undefined && text !== undefined && earlier.after === textHash(text);
  const backup = wasConnected ? (isUntouched ? earlier.backup : undefined) : null;
  return {
    file,
    after: textHash(after),
    moved: [...(earlier && wasConnected ? earlier.moved : []), ...moving.moved],
    ...(backup !== undefined && { backup }),
    ...(moving.ourFile === undefined
      ? earlier?.ourFile !== undefined && { ourFile: earlier.ourFile }
      : { ourFile: moving.ourFile }),
  };
}

/** Tokens in rows that leave the file are not shown. */
function hidden(difference: string, servers: readonly ClientServer[]): string {
  return servers.reduce((text, { written }) => hiding(written ?? {})(text), difference);
}
