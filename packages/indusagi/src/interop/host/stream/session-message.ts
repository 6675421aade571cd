import type { JSONRPCMessage } from "@modelcontextprotocol/server";

export function isRequest(
  message: JSONRPCMessage,
): message is JSONRPCMessage & { id: string | number; method: string } {
  return "method" in message && "id" in message;
}

/** Whether a message is a request or a notification of this method. */
export function hasMethod(message: unknown, method: string): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === method;
}

/** The revision that a client asks for. */
export function versionIn(message: JSONRPCMessage): string {
  const { params } = message as { readonly params?: { readonly protocolVersion?: unknown } };
  return String(params?.protocolVersion);
}

/** The request that a message cancels. */
export function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!hasMethod(message, "notifications/cancelled")) return undefined;
  const { params } = message as { readonly params?: { readonly requestId?: unknown } };
  const id = params?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
