// Every feature of the protocol over stdio, in one era or in both. It imports only its offer, so that it starts as fast as
// Node does.
//   node server.mjs [--era legacy|modern|both]
import { CAPABILITIES, createOffer, INFO, INSTRUCTIONS } from "./offer.mjs";

const VERSION = "2026-07-28";
const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const META = "io.modelcontextprotocol/";
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const era = process.argv.includes("--era") ? process.argv[process.argv.indexOf("--era") + 1] : "both";

const offer = createOffer();
const running = new Map();
const cancelled = new Set();
const waiting = new Map();
const subscribed = new Set();
/** The filters of open `subscriptions/listen` requests, by id. */
const listening = new Map();
let level = "debug";
let nextId = 1;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const notify = (method, params) => send({ method, ...(params ? { params } : {}) });

/** In the modern era a change goes to each listener that asked for it; in the legacy era to the connection. */
function announce(method, params, isWanted) {
  if (era !== "modern" && listening.size === 0) return notify(method, params);
  for (const [id, filter] of listening)
    if (isWanted(filter)) notify(method, { ...params, _meta: { [`${META}subscriptionId`]: id } });
}
offer.changed = async (kind) =>
  announce(`notifications/${kind}/list_changed`, undefined, (filter) => filter[`${kind}ListChanged`]);
offer.updated = async (uri) => {
  if (listening.size > 0 || era === "modern")
    announce("notifications/resources/updated", { uri }, ({ resourceSubscriptions: uris }) =>
      uris?.includes(uri),
    );
  else if (subscribed.has(uri)) notify("notifications/resources/updated", { uri });
};

function ask(question) {
  return new Promise((resolve, reject) => {
    const id = `question-${nextId++}`;
    waiting.set(id, { resolve, reject });
    send({ id, ...question });
  });
}

/** The answer to a question, or a suspension of the call until the client sends it. */
function askModern({ inputResponses = {}, requestState }, key, question) {
  const known = { ...JSON.parse(requestState ?? "{}"), ...inputResponses };
  if (known[key] !== undefined) return known[key];
  throw { suspended: { inputRequests: { [key]: question }, requestState: JSON.stringify(known) } };
}

async function call(id, params, isModern) {
  const abort = new AbortController();
  const meta = params._meta;
  const token = meta?.progressToken;
  const threshold = isModern ? meta[`${META}logLevel`] : level;
  running.set(id, abort);
  try {
    return await offer.call(params.name, params.arguments, {
      meta,
      signal: abort.signal,
      progress: async (note) =>
        token === undefined ? undefined : notify("notifications/progress", { progressToken: token, ...note }),
      log: async (entry) => {
        if (threshold === undefined || LEVELS.indexOf(entry.level) < LEVELS.indexOf(threshold)) return;
        notify("notifications/message", entry);
      },
      ask: async (key, question) => (isModern ? askModern(params, key, question) : ask(question)),
    });
  } catch (thrown) {
    if (thrown.suspended) return { resultType: "input_required", ...thrown.suspended };
    throw thrown;
  } finally {
    running.delete(id);
  }
}

function listen(id, { notifications }) {
  listening.set(id, notifications);
  notify("notifications/subscriptions/acknowledged", {
    _meta: { [`${META}subscriptionId`]: id },
    notifications,
  });
}

async function answer(id, method, params) {
  const isModern = params._meta?.[`${META}protocolVersion`] === VERSION;
  if (era === "legacy" && (isModern || method === "server/discover"))
    throw { code: -32601, message: "Method not found" };
  if (era === "modern" && !isModern)
    throw { code: -32022, message: "Unsupported protocol version", data: { supported: [VERSION] } };
  const list = offer.lists[method];
  if (list) return { ...list(), ...(isModern ? { ttlMs: 0, cacheScope: "private" } : {}) };
  switch (method) {
    case "server/discover":
      return { supportedVersions: [VERSION], capabilities: CAPABILITIES, instructions: INSTRUCTIONS };
    case "initialize": {
      const isKnown = LEGACY_VERSIONS.includes(params.protocolVersion);
      const protocolVersion = isKnown ? params.protocolVersion : LEGACY_VERSIONS[0];
      return { protocolVersion, capabilities: CAPABILITIES, serverInfo: INFO, instructions: INSTRUCTIONS };
    }
    case "tools/call":
      return call(id, params, isModern);
    case "resources/read":
      return { ...offer.read(params.uri), ...(isModern ? { ttlMs: 0, cacheScope: "private" } : {}) };
    case "prompts/get":
      return offer.prompt(params.name, params.arguments);
    case "completion/complete":
      return offer.complete(params);
  }
  if (!isModern)
    switch (method) {
      case "ping":
        return {};
      case "logging/setLevel":
        level = params.level;
        return {};
      case "resources/subscribe":
        subscribed.add(params.uri);
        return {};
      case "resources/unsubscribe":
        subscribed.delete(params.uri);
        return {};
    }
  throw { code: -32601, message: "Method not found" };
}

/** Every result of the modern era says that it is complete and who gave it. */
function complete(result, isModern) {
  if (!isModern) return result;
  return {
    resultType: "complete",
    ...result,
    _meta: { ...result._meta, [`${META}serverInfo`]: INFO },
  };
}

/** A cancelled call gets no answer. */
function reply(id, answered) {
  if (!cancelled.delete(id)) send({ id, ...answered });
}

function cancel(id) {
  if (running.has(id)) cancelled.add(id);
  running.get(id)?.abort();
  listening.delete(id);
}

function receive(message) {
  const { id, method, params = {} } = message;
  if (method === undefined) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (message.error) reject?.(message.error);
    else resolve?.(message.result);
    return;
  }
  if (method === "notifications/cancelled") return cancel(params.requestId);
  if (id === undefined) return;
  if (method === "subscriptions/listen" && era !== "legacy") return listen(id, params);
  const isModern = params._meta?.[`${META}protocolVersion`] === VERSION;
  answer(id, method, params).then(
    (result) => reply(id, { result: complete(result, isModern) }),
    ({ code = -32603, message: text, data }) => {
      // The modern era has no code of its own for a resource that does not exist.
      const known = isModern && code === -32002 ? -32602 : code;
      reply(id, { error: { code: known, message: String(text), ...(data === undefined ? {} : { data }) } });
    },
  );
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line.trim() !== "") receive(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
