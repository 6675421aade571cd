import {
  createClientLink,
  createProviderHost,
  mountProtocolBridge,
  RELAYED_EXTENSIONS,
  relayFleet,
  serveStdio,
} from "indusagi/interop";
import { viewBox } from "indusagi/runtime";
import { firstOf } from "../boot/internal.ts";
import { type Guest, openAttachment } from "./hub/index.ts";

/**
 * Serves one running instance to a command of the same user, under the server's own names and with everything it lists: the command
 * filters, renames and checks as if it had started the server itself.
 */
export async function serveInstance(guest: Guest, folder: string): Promise<void> {
  const { row } = guest.ask;
  if (!row) throw new Error("its row is not understood");
  const { sharing, input, output } = openAttachment(guest, folder);
  const link = createClientLink({ isOnlyClient: true });
  const { includeTools: _in, excludeTools: _ex, toolOverrides: _names, ...whole } = row;
  const { box, fleet } = await mountProtocolBridge(
    { servers: [whole] },
    {
      ...{ sharing, place: sharing.scope.place, answers: link.answers },
      relays: { extensions: RELAYED_EXTENSIONS },
      patience: "caller",
      supervision: false,
    },
  );
  try {
    link.attach(fleet);
    const { serverInfo, capabilities, instructions } = fleet.endpoint(row.id)?.session() ?? {};
    const { name = row.id, version = "", ...others } = serverInfo ?? {};
    const info = { ...others, name, version, ...(instructions === undefined ? {} : { instructions }) };
    const own = viewBox(box, {
      show: (tool) => (tool.origin ? { ...tool, name: tool.origin.tool } : undefined),
    });
    const scope = { only: row.id, keeps: () => true, forwards: () => row.id };
    const host = createProviderHost(own, info, relayFleet(fleet).clientProviders(scope), {
      listsAsReceived: true,
      clientExtensions: "all",
      clients: link.observer,
      ...(capabilities && { introduction: async () => ({ capabilities, info }) }),
    });
    const running = await serveStdio(host, { stdin: input, stdout: output });
    await firstOf([running.waiting()], { signal: guest.signal });
    await running.cancel();
  } finally {
    await fleet.tearDown();
  }
}
