/** A schema library prints what does not fit as JSON over many lines: `ZodError: [`, the issues, `]`. */
const HEAD = /^(\S*(?:Error|Exception)[^:]*: )\[$/;
const MAX_LINES = 500;

/** The lines, with such a list as one line: `ZodError: API_KEY: expected string`. */
export function foldIssues(lines: readonly string[]): string[] {
  const folded: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const head = HEAD.exec(line)?.[1];
    const length = head === undefined ? -1 : lines.slice(index + 1, index + MAX_LINES).indexOf("]");
    const summary = length === -1 ? undefined : summaryOf(lines.slice(index + 1, index + 1 + length));
    folded.push(summary === undefined ? line : `${head}${summary}`);
    if (summary !== undefined) index += length + 1;
  }
  return folded;
}

function summaryOf(lines: readonly string[]): string | undefined {
  try {
    const issues = JSON.parse(`[${lines.join("\n")}]`) as readonly {
      readonly path?: readonly unknown[];
      readonly message?: unknown;
    }[];
    return issues.map(({ path = [], message }) => `${path.join(".")}: ${String(message)}`).join("; ");
  } catch {
    return undefined; // Then the lines are shown as they are.
  }
}
