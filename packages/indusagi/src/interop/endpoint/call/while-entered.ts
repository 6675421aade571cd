import { isProtocolFault } from "../../contract/index.ts";

/** Does the work of a call that is registered with the question router, and removes it there afterwards. */
export async function whileEntered<Value>(
  leave: (isAnswered: boolean) => void,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    const value = await work();
    leave(true);
    return value;
  } catch (thrown) {
    // An error of the server is an answer; after a cancel or a deadline the server may still be at work.
    leave(isProtocolFault(thrown) && thrown.rpc !== undefined);
    throw thrown;
  }
}
