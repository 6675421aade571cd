import { verifies } from "@indus/testkit";
import { InstancePool } from "indusagi/interop";
import { expect } from "vitest";
import { containerOf } from "../../../src/background/link/index.ts";
import { refusalOf } from "../../../src/commands/serve/serve-client.ts";

verifies(
  "background:private",
  "a client with other certificate authorities than the gateway is refused, one without any is not",
  async () => {
    const asked = (env: { readonly [name: string]: string }): Promise<string | undefined> =>
      refusalOf({ kind: "instance", container: containerOf("self"), env }, new InstancePool(), []);
    expect(await asked({ NODE_EXTRA_CA_CERTS: "/no/such/authorities.pem" })).toContain("NODE_EXTRA_CA_CERTS");
    // The next question is asked then: whether such a server runs.
    expect(await asked({})).toBe("it does not run");
  },
);
