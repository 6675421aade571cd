/**
 * Approximate memory of a message: good enough for a limit, and much cheaper than writing it. Stops counting at
 * `most`, so it ends even for a value that contains itself.
 */
export function roughSize(message: unknown, most: number): number {
  let size = 0;
  const pending: unknown[] = [message];
  for (let node = pending.pop(); node !== undefined && size <= most; node = pending.pop()) {
    size += typeof node === "string" ? node.length : 8;
    if (typeof node !== "object" || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      size += key.length;
      if (value !== undefined) pending.push(value);
    }
  }
  return size;
}
