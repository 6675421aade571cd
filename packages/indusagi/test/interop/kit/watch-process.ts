import { afterAll, beforeAll, expect } from "vitest";

/**
 * Fails the file if anything in it left an unhandled rejection or caused a warning, for example about too many
 * listeners. The test runner detects rejections itself; here they are an explicit promise.
 */
export function watchProcess(): void {
  const found: string[] = [];
  const onWarning = (warning: Error): void => {
    if (/MaxListeners|PossiblyUnhandled|UnhandledPromise/.test(`${warning.name} ${warning.message}`))
      found.push(`${warning.name}: ${warning.message}`);
  };
  const onRejection = (reason: unknown): void => void found.push(`unhandled: ${String(reason)}`);
  beforeAll(() => {
    process.on("warning", onWarning);
    process.on("unhandledRejection", onRejection);
  });
  afterAll(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("warning", onWarning);
    process.off("unhandledRejection", onRejection);
    expect(found).toEqual([]);
  });
}
