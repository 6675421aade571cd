import { verifies } from "@indus/testkit";
import { startServerFleet, type TokenProvider } from "indusagi/interop";
import { expect } from "vitest";
import { serveHttp } from "../../../../../test/servers/server.mjs";

type Options = Parameters<typeof serveHttp>[0];

async function listening(options: Options = {}) {
  const server = await serveHttp(options);
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

const rowOf = (id: string, url: string) =>
  ({ kind: "streamable-http", id, url, onMismatch: "fail" }) as const;

verifies("login:per-server", "the token of one server is sent to no other one", async () => {
  await using first = await listening({ token: "token-of-first" });
  await using second = await listening();
  const asked: string[] = [];
  const fleet = await startServerFleet(
    { servers: [rowOf("first", first.url), rowOf("second", second.url)] },
    {
      auth: ({ id }) => {
        asked.push(id);
        return id === "first" ? { token: async () => "token-of-first" } : undefined;
      },
    },
  );
  const headersSeenBy = async (server: string): Promise<unknown> => {
    const { endpoint, release } = await fleet.acquire(server);
    const { content } = await endpoint.invoke("meta", {});
    release();
    return (JSON.parse((content[0] as { readonly text: string }).text) as { readonly headers: unknown })
      .headers;
  };
  expect(asked).toEqual(["first", "second"]);
  expect(await headersSeenBy("first")).toMatchObject({ authorization: "Bearer token-of-first" });
  expect(await headersSeenBy("second")).not.toHaveProperty("authorization");
  await fleet.tearDown();
});

verifies("login:resumes", "a server that needs a login is started again after one", async () => {
  await using server = await listening({ token: "right" });
  let token = "wrong";
  let loggedIn = (): void => {};
  const auth: TokenProvider = {
    token: async () => token,
    onLogin: (listener) => {
      loggedIn = listener;
      return () => {};
    },
  };
  const fleet = await startServerFleet({ servers: [rowOf("s", server.url)] }, { auth: () => auth });
  expect(fleet.status().get("s")).toMatchObject({ state: "needs_login" });
  const isReady = new Promise<void>((resolve) => {
    fleet.onStatus(({ phase }) => phase === "ready" && resolve());
  });
  token = "right";
  loggedIn();
  await isReady;
  await fleet.tearDown();
});
