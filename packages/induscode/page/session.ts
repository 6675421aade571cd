import { FOLDER_FRAGMENT, LINK_FRAGMENT, type SessionInfo } from "../src/console/contract.ts";
import { access, endSession, keepFolder, keepKey, sessionKey } from "./access.ts";
import { messageOf, RequestError, request } from "./request.ts";

const CHANNEL = "indus-console-session";
/** How long another tab has to answer with its key. */
const ASK_MS = 250;

/**
 * Opens the session: by the code in the fragment, else with the key of this tab, else with the key of another tab of the same origin.
 * The code leaves the address at once, so neither the history nor a copied address has it.
 */
export async function openSession(): Promise<void> {
  const code = takeCode();
  try {
    if (code !== undefined) {
      const { key, ...info } = await request("POST /console/session", { body: { code } });
      keepKey(key);
      return adopt(info);
    }
    const known = sessionKey() ?? (await keyOfOtherTab());
    if (known === undefined) {
      access.value = { state: "closed", reason: "none" };
      return;
    }
    keepKey(known);
    adopt(await request("GET /console/session"));
  } catch (error) {
    const refused = error instanceof RequestError ? error.code : "failed";
    if (refused === "unreachable") access.value = { state: "closed", reason: "unreachable" };
    else if (code !== undefined)
      access.value = { state: "closed", reason: "link", message: messageOf(error) };
    else endSession();
  }
}

function takeCode(): string | undefined {
  const fragment = location.hash.slice(1);
  if (!fragment.startsWith(LINK_FRAGMENT)) return undefined;
  history.replaceState(null, "", location.pathname);
  const [code, folder] = fragment.slice(LINK_FRAGMENT.length).split(FOLDER_FRAGMENT);
  if (folder !== undefined) keepFolder(folder);
  return code;
}

function adopt(info: SessionInfo): void {
  access.value = { state: "open", info };
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    const key = sessionKey();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, only this origin
    if (data === "key?" && key !== undefined) channel.postMessage({ key });
  };
}

/** A second tab of this page may use the session of the first. Only pages of this origin can ask. */
function keyOfOtherTab(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ASK_MS);
    channel.onmessage = ({ data }) => {
      if (typeof data?.key !== "string") return;
      clearTimeout(timer);
      resolve(data.key);
    };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target, only this origin
    channel.postMessage("key?");
  }).finally(() => channel.close());
}
