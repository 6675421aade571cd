import type { Environment } from "indusagi/core";

/** The codes that begin and end each style. `util.styleText` would look at standard output, which may not be the target. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** What a terminal can show. */
export interface Look {
  readonly hasColours?: boolean;
  /** The width of a line in characters. Absent: not limited. */
  readonly width?: number;
  /** The number of lines. Absent: not limited. */
  readonly height?: number;
}

export type Style = keyof typeof STYLES;

/** A text in a style, for a terminal that has colours. */
export function paint(style: Style, text: string): string {
  const [begin, end] = STYLES[style];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
}

/**
 * Whether to use colours. `FORCE_COLOR` decides first, then `NO_COLOR` (https://no-color.org) and `TERM=dumb`, then whether
 * the output is a screen.
 */
export function hasColours(env: Environment, isScreen: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = env;
  if (forced !== undefined) return !["0", "false"].includes(forced);
  return isScreen && !refused && terminal !== "dumb";
}
