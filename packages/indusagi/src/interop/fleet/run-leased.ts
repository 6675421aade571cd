import {
  type AcquireOptions,
  isProtocolFault,
  isUsablePhase,
  type ServerEndpoint,
  type ServerFleet,
} from "../contract/index.ts";

/**
 * Runs work on a leased endpoint of a server. Work that certainly did not reach the server, on an endpoint that has ended,
 * runs once more on the next endpoint.
 */
export async function runLeased<Result>(
  fleet: ServerFleet,
  server: string,
  options: AcquireOptions,
  work: (endpoint: ServerEndpoint) => Promise<Result>,
): Promise<Result> {
  const lease = await fleet.acquire(server, options);
  try {
    return await work(lease.endpoint);
  } catch (thrown) {
    const isSafe = isProtocolFault(thrown) && thrown.retrySafe && !options.signal?.aborted;
    if (!isSafe || isUsablePhase(lease.endpoint.phase)) throw thrown;
  } finally {
    lease.release();
  }
  const next = await fleet.acquire(server, options);
  try {
    return await work(next.endpoint);
  } finally {
    next.release();
  }
}
