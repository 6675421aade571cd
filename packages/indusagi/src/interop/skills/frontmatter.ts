import { describeError } from "../../core/index.ts";
import { isRecord } from "../../core/internal.ts";
import type { RawResult } from "../contract/index.ts";

const BLOCK = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
/** Aliases of YAML can make a short text very large. */
const MAX_ALIASES = 20;

/** The YAML between `---` lines at the beginning of a `SKILL.md`, as JSON. Throws, with the reason in one line. */
export async function readFrontmatter(text: string): Promise<RawResult> {
  const block = BLOCK.exec(text)?.[1];
  if (block === undefined) throw new Error("SKILL.md does not begin with YAML between two lines of ---");
  // Loaded with the first skill: most runs have none.
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(block, { maxAliasCount: MAX_ALIASES, logLevel: "error" });
  } catch (thrown) {
    const [line = ""] = describeError(thrown).split("\n");
    throw new Error(`the YAML of SKILL.md cannot be read: ${line.replace(/:$/, "")}`, { cause: thrown });
  }
  if (!isRecord(value)) throw new Error("the YAML of SKILL.md is not a list of names with values");
  return JSON.parse(JSON.stringify(value)) as RawResult;
}
