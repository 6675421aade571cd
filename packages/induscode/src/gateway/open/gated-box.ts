import { realpathSync } from "node:fs";
import { parse } from "node:path";
import { escapeForDisplay, shortenText } from "indusagi/core";
import type { ExtensionKey } from "indusagi/interop";
import { type Caller, createTableBox, joinBoxes, type ToolBox } from "indusagi/runtime";
import type { Run } from "../../boot/internal.ts";
import { openSessionTools } from "../../boot/tools/index.ts";
import { isMountedPattern, type PolicyFlags } from "../../launch/internal.ts";
import type { ApprovalAnswer, ApprovalQuestion } from "../../policy/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { DECK_PROFILES } from "../routes/profiles.ts";
import type { GatewayOptions } from "./gateway-options.ts";

/** Allowed without approval: tools of servers, which the user approved already, and the to-do lists, which change nothing else. */
const ALLOWED = ["*__*", "todo_set", "todo"];

const DEFAULT_POLICY: PolicyFlags = { mode: "default", allow: [], deny: [] };

/** Rules are matched against the real path. */
function realOr(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // It does not exist yet.
  }
}

interface GatedBoxes {
  /** Their tools are already filtered by `--tools`. */
  readonly servers: Pick<OpenServers, "box" | "variants" | "approved">;
  /** Reports on the servers. `--profile` does not apply to it. */
  readonly status: ToolBox;
}

/** The tools behind one gate. */
export interface GatedTools {
  /** Those of all clients without extensions. */
  readonly plain: ToolBox;
  /** Those that differ for clients with these extensions, see `withVariants`. */
  variants(extensions: ExtensionKey): ToolBox;
}

/** Native tools and those of the servers behind one gate. A call that needs approval asks the client's user. */
export async function gatedBox(
  run: Pick<Run, "cwd" | "env" | "report" | "open">,
  { servers, status }: GatedBoxes,
  {
    profile = "read-only",
    selection = {},
    policy = DEFAULT_POLICY,
    protect = [],
    transport,
    workers,
  }: Partial<GatewayOptions>,
): Promise<GatedTools> {
  const [{ createPolicy, gate }, { usedEffect }, { bridgeBoxSource }] = await Promise.all([
    import("../../policy/index.ts"),
    import("../../deck/provision/internal.ts"),
    import("../../deck/ledger/index.ts"),
  ]);
  const rules = createPolicy({
    // Servers on other machines have no files here: a relative path is not one in this gateway's own, protected folder.
    cwd: workers ? parse(run.cwd).root : run.cwd,
    effectOf: usedEffect,
    isApproved: () => true, // Only approved servers are started.
    servers: () => servers.approved(),
    mode: policy.mode,
    allow: [...ALLOWED, ...policy.allow],
    deny: policy.deny,
    // What one user always allows is not allowed for the others.
    ownerOf: (caller) => caller?.principal ?? caller?.key,
    roots: "any", // The session itself refuses files outside the folder.
    protect: protect.flatMap((file) => [file, realOr(file)]),
    places: { env: run.env },
  });
  const own = selection.tools?.filter((word) => !isMountedPattern(word));
  const deck = await openSessionTools(
    run,
    { ...selection, ...(own && { tools: own }) },
    { profile: DECK_PROFILES[profile], mcp: bridgeBoxSource(servers.box) },
  );
  if (!deck) {
    const { box } = createTableBox();
    return { plain: box, variants: () => box };
  }
  // What comes over a link was decided by the gateway that has the client: nobody is asked twice.
  const guarded = (box: ToolBox): ToolBox =>
    transport?.kind === "links" ? box : gate(box, rules, askClient);
  const variants = new Map<ExtensionKey, ToolBox>();
  return {
    plain: guarded(joinBoxes([deck.intoToolBox(), status])),
    variants: (extensions) => {
      const own = variants.get(extensions) ?? guarded(servers.variants(extensions));
      variants.set(extensions, own);
      return own;
    },
  };
}

const MAX_ARGUMENTS = 1_500;
const ONCE = "allow once";
const ALWAYS = "always allow";
const REFUSE = "refuse";

/**
 * Asks the calling client's user by elicitation. A client that cannot be asked gets a refusal that names the flag to add.
 */
async function askClient(question: ApprovalQuestion): Promise<ApprovalAnswer> {
  const { caller, signal, suggestedRule } = question;
  if (!caller?.ask || !canShowForms(caller)) return { allow: false, message: cannotAsk(suggestedRule) };
  const choices = suggestedRule === undefined ? [ONCE, REFUSE] : [ONCE, ALWAYS, REFUSE];
  const params = {
    message: messageOf(question),
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Run this call?", enum: choices } },
      required: ["answer"],
    },
  };
  const { approval } = await caller.ask({ approval: { method: "elicitation/create", params } }, signal);
  const answer = acceptedAnswer(approval);
  if (answer === ALWAYS && suggestedRule !== undefined) return { allow: true, rule: suggestedRule };
  return answer === ONCE ? { allow: true } : { allow: false, message: "the user refused it" };
}

function canShowForms({ can }: Caller): boolean {
  return can.elicit?.form === true;
}

function cannotAsk(suggestedRule: string | undefined): string {
  const remedy =
    suggestedRule === undefined ? "" : `; to allow it, add --allow ${JSON.stringify(suggestedRule)}`;
  return `this client cannot ask its user${remedy}`;
}

function messageOf({ call, decision, suggestedRule }: ApprovalQuestion): string {
  const given = shortenText(escapeForDisplay(JSON.stringify(call.input) ?? "nothing"), MAX_ARGUMENTS);
  const always = suggestedRule === undefined ? "" : ` "${ALWAYS}" adds the rule ${suggestedRule} for you.`;
  return `Run ${call.name} with ${given}? It needs approval because of ${decision.rule}.${always}`;
}

/** What the user chose, if the form was accepted. */
function acceptedAnswer(result: unknown): unknown {
  if (typeof result !== "object" || result === null) return undefined;
  const { action, content } = result as { readonly action?: unknown; readonly content?: unknown };
  if (action !== "accept" || typeof content !== "object" || content === null) return undefined;
  return (content as { readonly answer?: unknown }).answer;
}
