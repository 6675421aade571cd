import type { WireSession } from "../wire/session.ts";
import { callTool } from "./calls.ts";
import { type ListName, listAll, PROMPTS, RESOURCES, TOOLS } from "./requests.ts";
import { CHANGE_MS, type Json, type Names, pause, type Step } from "./step.ts";

const LISTS = { tools: TOOLS, prompts: PROMPTS, resources: RESOURCES };
const UPDATED = "notifications/resources/updated";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** Changes a list with a tool, waits for the note and lists again; then the same to undo it. */
export function listChanged(kind: keyof typeof LISTS, tool: string, args: Json = {}): Step {
  return {
    id: `list-changed ${kind}`,
    feature: "list-changed",
    run: async (session, names) => {
      await using _ = await listen(session, { [`${kind}ListChanged`]: true });
      const rounds: object[] = [];
      for (let round = 0; round < 2; round++) {
        const from = session.notes.length;
        const answer = await callTool(session, names.spell(tool), { args });
        const isTold = await session.noted(from, `notifications/${kind}/list_changed`, CHANGE_MS);
        rounds.push({ ...answer, isTold, names: await namesIn(session, names, LISTS[kind]) });
      }
      return rounds;
    },
  };
}

async function namesIn(session: WireSession, names: Names, name: ListName): Promise<unknown> {
  const listed = (await listAll(session, names, name)) as Json;
  const items = listed[name.member];
  return Array.isArray(items) ? items.map((item: Json) => item["name"]) : listed;
}

/** Subscribes to a resource, changes it with a tool, and changes it again after the subscription has ended. */
export function subscribe(uri: string, tool: string, args: Json = {}): Step {
  return {
    id: `subscribe ${uri}`,
    feature: "subscriptions",
    run: async (session, names) => {
      const from = session.notes.length;
      const watching = await listen(session, { resourceSubscriptions: [uri] });
      await callTool(session, names.spell(tool), { args });
      if (watching.isAccepted) await session.noted(from, UPDATED, CHANGE_MS);
      const uris = session.notesSince(from, UPDATED).map((params) => params["uri"]);
      await watching[Symbol.asyncDispose]();
      const afterwards = session.notes.length;
      await callTool(session, names.spell(tool), { args });
      await pause(200);
      const late = session.notesSince(afterwards, UPDATED).length;
      return { isAccepted: watching.isAccepted, uris: [...new Set(uris)], late };
    },
  };
}

interface Listening extends AsyncDisposable {
  readonly isAccepted: boolean;
}

/** Asks for notifications in the way of the era. A legacy client is told about changed lists without asking. */
export async function listen(session: WireSession, filter: Json): Promise<Listening> {
  if (session.era === "modern") return listenModern(session, filter);
  const [uri] = (filter["resourceSubscriptions"] ?? []) as readonly string[];
  if (uri === undefined) return { isAccepted: true, [Symbol.asyncDispose]: async () => {} };
  const answer = await session.request("resources/subscribe", { uri });
  return {
    isAccepted: "result" in answer,
    [Symbol.asyncDispose]: async () => void (await session.request("resources/unsubscribe", { uri })),
  };
}

const LISTEN_MS = 60_000;

async function listenModern(session: WireSession, notifications: Json): Promise<Listening> {
  const abort = new AbortController();
  const from = session.notes.length;
  const options = { signal: abort.signal, timeoutMs: LISTEN_MS };
  const done = session.request("subscriptions/listen", { notifications }, options);
  await Promise.race([session.noted(from, ACKNOWLEDGED, CHANGE_MS), done]);
  const honoured = session.notesSince(from, ACKNOWLEDGED)[0]?.["notifications"] ?? {};
  return {
    isAccepted: Object.keys(honoured).length > 0,
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await done;
      await pause(100);
    },
  };
}
