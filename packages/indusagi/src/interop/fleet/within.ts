/** Waits for work, but no longer than told. The work goes on by itself. */
export async function within(work: Promise<unknown>, ms: number | undefined): Promise<void> {
  if (ms === undefined) return void (await work);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
