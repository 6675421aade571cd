import { buildOf, dial, gatewayPlaces, isInOurTree, isSharingOff, livePlace } from "../link/index.ts";
import { callThrough } from "./call-through.ts";
import { helloOf, serveThrough } from "./serve-through.ts";
import { tell } from "./this-process.ts";

// `indus serve --stdio` and `indus mcp call` while a background gateway runs. They load nothing but what passes lines on.

export interface ShimOptions {
  /** The folder of the built command. */
  readonly folder: string;
  /** Runs the whole command in this process. */
  readonly runPrivately: () => void;
}

/** Does the work of this process through the background gateway, if there is one; otherwise runs the whole command. */
export async function runShim({ folder, runPrivately }: ShimOptions): Promise<void> {
  const words = process.argv.slice(2);
  if (!mayShare(words)) return runPrivately();
  const place = livePlace(gatewayPlaces({ env: process.env, build: buildOf(folder) }));
  if (!place) return runPrivately();
  if (words[0] === "mcp") return callThrough(place, words, runPrivately);
  if (isInOurTree()) {
    tell("it was started by a program of an indus session, so it does not use the background gateway");
    return runPrivately();
  }
  const dialled = await dial(place, helloOf(words));
  if ("socket" in dialled) return serveThrough(dialled, { place, words, folder });
  if (dialled.reason === "refused") tell(`its servers run privately: ${dialled.message}`);
  else if (dialled.reason === "broken")
    tell(
      `the background gateway cannot be used, so its servers run privately: ${dialled.message}; indus up starts a new one`,
    );
  runPrivately();
}

const ANSWERED_AT_ONCE: ReadonlySet<string> = new Set(["--help", "-h", "--no-share", "--demo", "--version"]);

function mayShare(words: readonly string[]): boolean {
  const [name, second] = words;
  const isKnown = name === "serve" ? words.includes("--stdio") : name === "mcp" && second === "call";
  return isKnown && !words.some((word) => ANSWERED_AT_ONCE.has(word)) && !isSharingOff();
}
