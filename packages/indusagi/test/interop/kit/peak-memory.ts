/** Measures the memory of this process from now on; `stop` returns its largest growth in bytes. */
export function peakMemory(): { stop(): number } {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
  const timer = setInterval(look, 5);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return peak - before;
    },
  };
}
