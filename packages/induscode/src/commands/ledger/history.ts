import type { Run } from "../../boot/internal.ts";
import type { HistoryRequest } from "../../launch/internal.ts";
import { showJson } from "../../screen/index.ts";
import { plainEvent } from "./plain-event.ts";

/** `indus mcp history`: what earlier runs recorded, the oldest first. */
export async function history(run: Run, { names, json }: HistoryRequest): Promise<number> {
  const records = await run.records();
  const whole = await records.history();
  const isMeant = ({ server, tool }: { readonly server: string; readonly tool: string }): boolean =>
    names.length === 0 || [server, tool, `${server}__${tool}`].some((name) => names.includes(name));
  const shown = { ...whole, events: whole.events.filter(isMeant) };
  const { oldest, damaged } = shown;
  run.terminal.out(
    json
      ? showJson({ oldest, damaged: damaged.map(({ path }) => path), events: shown.events.map(plainEvent) })
      : records.show(shown),
  );
  if (shown.events.length > 0 || names.length === 0) return 0;
  run.report(`nothing is recorded about ${names.join(", ")}; indus mcp history shows everything`);
  return 1;
}
