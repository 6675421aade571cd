import { verifies } from "@indus/testkit";
import { linkedTransports } from "indusagi/interop";
import { expect } from "vitest";
import { TappedTransport } from "../../../src/interop/wire/index.ts";

verifies(
  "interop:early-start",
  "what arrives between an early start and the SDK's start is kept in order",
  async () => {
    const [ours, theirs] = linkedTransports();
    const tapped = new TappedTransport(ours, ({ method }) => method === "taken");
    await Promise.all([theirs.start(), tapped.startEarly()]);
    for (const method of ["one", "taken", "two"]) await theirs.send({ jsonrpc: "2.0", method });
    await theirs.close();
    const seen: (string | undefined)[] = [];
    tapped.onmessage = ({ method }) => void seen.push(method);
    tapped.onclose = () => void seen.push("closed");
    await tapped.start();
    expect(seen).toEqual(["one", "two", "closed"]);
  },
);
