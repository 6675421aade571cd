import { verifies } from "@indus/testkit";
import { Client } from "@modelcontextprotocol/client";
import { createServerEndpoint, type MessageTransport } from "indusagi/interop";
import { expect, vi } from "vitest";
import { inProcess } from "../../kit/scripted.ts";

const HANDLED_BY_US = [
  "notifications/message",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
];
const HANDLED_BY_THE_SDK = ["notifications/subscriptions/acknowledged", "notifications/of-the-server"];

verifies(
  "endpoint:notifications",
  "listeners get every notification, the SDK only those that we do not handle alone",
  async () => {
    const transport = unlikeProcess(inProcess());
    const endpoint = createServerEndpoint({ kind: "stdio", id: "s", command: "unused" }, transport);
    await endpoint.open();
    const heard: string[] = [];
    endpoint.session().onNotification(({ method }) => void heard.push(method));
    const received = vi.spyOn(Client.prototype as unknown as Receiver, "_onnotification");
    const all = [...HANDLED_BY_US, ...HANDLED_BY_THE_SDK];
    for (const method of all) transport.onmessage?.({ jsonrpc: "2.0", method, params: {} });
    const methods = received.mock.calls.map(([{ method }]) => method);
    received.mockRestore();
    await endpoint.close();

    expect(heard).toEqual(all);
    expect(methods).toEqual(HANDLED_BY_THE_SDK);
  },
);

/** A private method of the SDK's client: the only place that sees each notification it gets. */
interface Receiver {
  _onnotification(notification: { readonly method: string }): void;
}

/** The same without the two members that mark a process, so the SDK shakes hands. */
function unlikeProcess(inner: MessageTransport): MessageTransport {
  const outer: MessageTransport = {
    start: () => inner.start(),
    send: (message) => inner.send(message),
    close: () => inner.close(),
  };
  inner.onmessage = (message) => outer.onmessage?.(message);
  inner.onclose = () => outer.onclose?.();
  return outer;
}
