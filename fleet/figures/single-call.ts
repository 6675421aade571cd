import { wireName } from "indusagi/interop";
import { NAME_LIMIT, writeConfiguration } from "../configuration.ts";
import { callIn } from "../scratch.ts";
import type { HarmlessCall } from "../server-list.ts";
import { runIndus } from "./command.ts";
import type { FleetUnderTest } from "./fleet-under-test.ts";
import { type Figure, figure, median, plainFigure, withUnit } from "./measured.ts";

const MAX_RATIO = 1.3;
const ROUNDS = 5;
const DEADLINE_MS = 120_000;

/** `indus mcp call` of one server among all, and with that server alone in the configuration. */
export async function singleCallFigures(fleet: FleetUnderTest): Promise<readonly Figure[]> {
  const { servers, scratch, mark, indus, file, print } = fleet;
  const server =
    servers.find(({ name, call }) => call && name === PREFERRED) ?? servers.find(({ call }) => call);
  if (!server?.call) return [];
  const alone = writeConfiguration([server], { scratch, mark, name: "alone" });
  const args = callArguments(server.name, callIn(scratch, server.call));
  const options = { stateFolder: scratch.at("state", "figures"), deadlineMs: DEADLINE_MS };
  const times = { alone: [] as number[], among: [] as number[] };
  // In turn, so that both see the same machine.
  for (let round = 0; round < ROUNDS; round++)
    for (const [kind, configuration] of [["alone", alone] as const, ["among", file] as const]) {
      const { ms, code } = await runIndus(indus, [...args, "--mcp", configuration], options);
      if (code !== 0) throw new Error(`mcp call of ${server.name} (${kind}) ended with exit code ${code}`);
      times[kind].push(ms);
    }
  const [aloneMs, amongMs] = [median(times.alone), median(times.among)];
  print(`  mcp call: alone ${Math.round(aloneMs)} ms, among ${servers.length} ${Math.round(amongMs)} ms`);
  return [
    plainFigure(`\`mcp call\` of \`${server.name}\` alone (median of ${ROUNDS})`, withUnit(aloneMs, "ms")),
    figure({
      summary: `\`mcp call\` of \`${server.name}\` among ${servers.length} / alone: ${withUnit(amongMs, "ms")}`,
      value: amongMs / aloneMs,
      limit: MAX_RATIO,
      unit: "×",
    }),
  ];
}

/** It starts quickly, so that the work of `indus` itself is a large part of the time. */
const PREFERRED = "hello";

function callArguments(server: string, { tool, arguments: given }: HarmlessCall): string[] {
  return ["mcp", "call", wireName({ server, name: tool }, NAME_LIMIT), "--args", JSON.stringify(given)];
}
