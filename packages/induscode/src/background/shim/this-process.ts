/** The exit code for each signal that ends this process. */
export const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** A message of this process to its user. */
export function tell(message: string): void {
  process.stderr.write(`indus: ${message}\n`);
}
