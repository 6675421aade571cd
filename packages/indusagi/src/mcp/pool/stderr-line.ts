/**
 * Writes one line to standard error, as the sister editions do. The one place where library code prints: a program without a
 * `logger` would not learn why a server is missing. `console` ignores a closed standard error, which must not end the program.
 */
export function stderrLine(line: string): void {
  // oxlint-disable-next-line no-console -- see above
  console.error(line);
}
