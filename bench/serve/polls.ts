import { fileURLToPath } from "node:url";
import type { BenchCase } from "../case.ts";
import { type Figure, ratioOf, type Variant } from "../measure.ts";
import { HttpCaller } from "./http-caller.ts";
import { type Running, servedFolder, startServing } from "./running.ts";

/** Relative to the script that runs, which is in the folder above. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const SERVER = here("serve/tasks-server.mjs");

/** Of one round. */
const POLLS = 400;
const ROUNDS = 15;

/** Creates a task and asks for its state, again and again. */
async function polling({ url }: Running, name: string, tool: string): Promise<Variant> {
  const caller = new HttpCaller(url, 1);
  const { taskId } = await caller.modernRequest("tools/call", { name: tool, arguments: {} });
  if (typeof taskId !== "string") throw new Error(`${name}: there is no task`);
  return {
    name,
    run: async () => {
      for (let left = POLLS; left > 0; left--) await caller.modernRequest("tasks/get", { taskId });
    },
  };
}

async function compare(): Promise<Figure> {
  const direct = await startServing({ args: [SERVER, "http"], isModern: true });
  const folder = servedFolder({ up: { command: process.execPath, args: [SERVER, "stdio"] } });
  const ours = await folder.start();
  try {
    return await ratioOf(await polling(ours, "ours", "up__dig"), await polling(direct, "direct", "dig"), {
      rounds: ROUNDS,
    });
  } finally {
    await ours.close();
    await direct.close();
    folder.remove();
  }
}

export const pollCases: readonly BenchCase[] = [
  {
    id: "serve-task-poll",
    summary:
      "HTTP client → `indus serve` → SDK server over stdio, the state of a task / the same server over HTTP, without a gateway",
    measure: compare,
  },
];
