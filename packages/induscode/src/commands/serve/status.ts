import { escapeForDisplay, showDuration } from "indusagi/core";
import { type Attached, type GatewayReport, memoryOf } from "../../background/hub/index.ts";
import { findGateways } from "../../background/internal.ts";
import type { Run } from "../../boot/internal.ts";
import { type CommandSpec, JSON_OUTPUT } from "../../launch/internal.ts";
import { showJson, showTable } from "../../screen/index.ts";

interface StatusRequest {
  readonly json: boolean;
}

export const STATUS: CommandSpec<StatusRequest> = {
  name: "status",
  group: "everyday",
  summary:
    "Show your background gateway: its clients, its servers and who shares them, memory, uptime and log file. Starts nothing.",
  flags: [JSON_OUTPUT],
  examples: ["indus status"],
  read: (flags) => ({ json: flags.has("--json") }),
};

/** `indus status`: what the user's background gateways do. Exit code 1 if none runs. */
export async function status({ terminal, report, env }: Run, { json }: StatusRequest): Promise<number> {
  const found = await findGateways(env);
  for (const { place, problem, report: running } of found)
    if (!running)
      report(
        `the gateway at ${place.socket} does not answer (${problem ?? ""}); indus down ends it and removes what it left`,
      );
  const running = found.flatMap(({ report: each, isOurs }) => (each ? [{ ...each, isOurs }] : []));
  if (json) {
    terminal.out(showJson({ gateways: running.map(withMemory) }));
    return running.length > 0 ? 0 : 1;
  }
  if (running.length === 0) terminal.out("no background gateway is running; indus up starts one\n");
  for (const each of running) terminal.out(showGateway(each, terminal.outLook));
  return running.length > 0 ? 0 : 1;
}

type Running = GatewayReport & { readonly isOurs: boolean };

function withMemory(gateway: Running): object {
  const { instances, ...rest } = gateway;
  return {
    ...rest,
    memoryBytes: memoryOf([gateway.pid]) ?? null,
    instances: instances.map((instance) => ({
      ...instance,
      memoryBytes: (instance.pid !== undefined && memoryOf([instance.pid])) || null,
    })),
  };
}

function showGateway(gateway: Running, look: Run["terminal"]["outLook"]): string {
  const { pid, version, sinceMs, log, isDraining, isOurs, clients, instances, savings } = gateway;
  const state = isDraining ? ", ends with its last client" : "";
  const other = isOurs ? "" : ", another version than this command";
  const lines = [
    `background gateway: process ${pid}, version ${version}, running for ${showDuration(Date.now() - sinceMs)}${state}${other}`,
    `memory with its servers: ${showBytes(memoryOf([pid]))}`,
    `log: ${log ?? "none"}`,
  ];
  const tables = [
    clients.length === 0
      ? "no clients\n"
      : showTable([["CLIENT", "PROCESS", "SINCE", "FOLDER"], ...clients.map(clientRow)], look ?? {}),
    instances.length === 0
      ? "no servers are running\n"
      : showTable(
          [
            ["SERVER", "SHARED BY", "STATE", "PROCESS", "MEMORY", "RUNS IN"],
            ...instances.map((instance) => [
              escapeForDisplay(instance.server),
              instance.users.map((id) => shownClient(clients, id)).join(", ") || "-",
              instance.phase,
              instance.pid === undefined ? "-" : String(instance.pid),
              instance.pid === undefined ? "-" : showBytes(memoryOf([instance.pid])),
              instance.share === "user" ? "every folder" : escapeForDisplay(instance.cwd),
            ]),
          ],
          look ?? {},
        ),
  ];
  const twins = instances.flatMap(({ server, cwd, differsIn = [] }) =>
    differsIn.length === 0
      ? []
      : `server ${JSON.stringify(escapeForDisplay(server))} runs more than once in ${escapeForDisplay(cwd)}: clients differ in ${differsIn.map((name) => escapeForDisplay(name)).join(", ")}`,
  );
  const advice = savings.map(
    ({ server, folders }) =>
      `server ${JSON.stringify(escapeForDisplay(server))} runs once in each of ${folders} folders; if it keeps nothing for a folder, "share": "user" in its row makes that one`,
  );
  return `${[...lines, "", ...tables, ...new Set(twins), ...advice].join("\n").trimEnd()}\n`;
}

function clientRow({ id, client, pid, sinceMs, cwd }: Attached): string[] {
  const name = client === undefined ? "" : ` ${escapeForDisplay(client)}`;
  return [`${id}${name}`, String(pid), showDuration(Date.now() - sinceMs), escapeForDisplay(cwd)];
}

function shownClient(clients: readonly Attached[], id: string): string {
  const { client } = clients.find((each) => each.id === id) ?? {};
  return client === undefined ? id : `${id} ${escapeForDisplay(client)}`;
}

function showBytes(bytes: number | undefined): string {
  return bytes === undefined ? "-" : `${Math.round(bytes / 1_000_000)} MB`;
}
