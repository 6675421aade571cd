import { readFile } from "node:fs/promises";
import { tempDir, verifies } from "@indus/testkit";
import type { ServerConfig, ServerEndpoint } from "indusagi/interop";
import { expect } from "vitest";
import { workspaceTokens } from "../../../src/boot/internal.ts";
import { openGateway } from "../../../src/gateway/open/internal.ts";
import { eventually } from "../../bin/run-indus.ts";
import { connectTo, names, type Offered, type Served, serveIn } from "./serve-in.ts";

type Answer = "allow once" | "always allow" | "refuse";

/** A client. With an answer it can be asked; `asked` gets the questions. */
function clientOf({ url, token }: Served, answer?: Answer, asked: string[] = []): Promise<ServerEndpoint> {
  return connectTo(url, {
    token,
    ...(answer && {
      answers: {
        can: { elicit: { form: true } },
        ask: async (questions) => {
          asked.push(...Object.values(questions).map(({ params }) => String(params?.["message"])));
          const result = { action: "accept", content: { answer } };
          return Object.fromEntries(Object.keys(questions).map((key) => [key, result]));
        },
      },
    }),
  });
}

const textOf = (result: { readonly content: readonly unknown[] }): string => JSON.stringify(result.content);

const READ_ONLY = ["read", "ls", "grep", "find", "websearch", "webfetch", "todo_read"];
const CHANGING = ["write", "edit", "bash", "process", "todo_set"];

verifies(
  "serve:profile",
  "the profile, --tools and --deny decide which tools are offered",
  async () => {
    await using dir = await tempDir();
    const offeredWith = async (offered: Offered, servers?: readonly ServerConfig[]): Promise<string[]> => {
      await using served = await serveIn(dir, offered, servers);
      const client = await clientOf(served);
      const all = await names(client);
      await client.close();
      expect(served.reports).toEqual([]);
      return all;
    };
    const [plain, full, all, none, chosen, denied] = await Promise.all([
      offeredWith({}, []),
      offeredWith({ profile: "full" }, []),
      offeredWith({ profile: "all", policy: { mode: "default", allow: [], deny: ["ls"] } }, []),
      offeredWith({ profile: "none" }),
      offeredWith({ profile: "full", selection: { tools: ["Bash", "TODO-READ", "s__ec*"] } }),
      offeredWith({ selection: { noTools: true } }, []),
    ]);
    const own = (list: readonly string[]): string[] => list.filter((name) => !name.startsWith("s__"));
    expect(plain).toEqual(READ_ONLY);
    expect(full).toEqual([...READ_ONLY, ...CHANGING]);
    expect(all).toHaveLength(18);
    expect(own(none)).toEqual([]);
    expect(none).toContain("s__echo");
    expect(chosen).toEqual(["todo_read", "bash", "s__echo"]);
    expect(denied).toEqual([]);
  },
  { timeoutMs: 60_000 },
);

verifies(
  "serve:approval",
  "a change is put to the client's user; a client that cannot ask gets a refusal with the rule to add",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, { profile: "full" });
    const asked: string[] = [];
    const clients = [
      await clientOf(served),
      await clientOf(served, "refuse"),
      await clientOf(served, "always allow", asked),
    ] as const;
    const write = (client: ServerEndpoint): ReturnType<ServerEndpoint["invoke"]> =>
      client.invoke("write", { path: "note.txt", content: "hello" });
    const [mute, refusing, willing] = clients;
    const unasked = await write(mute);
    expect(unasked.isError).toBe(true);
    expect(textOf(unasked)).toContain("default mode");
    expect(textOf(unasked)).toMatch(/this client cannot ask its user; to allow it, add --allow .*write\(/);
    expect(await write(refusing)).toMatchObject({ isError: true });
    expect(await write(willing)).toMatchObject({ isError: false });
    expect(await readFile(dir.at("note.txt"), "utf8")).toBe("hello");
    expect(asked).toEqual([expect.stringMatching(/^Run write with \{.*"note.txt".*default mode/)]);
    // "Always" has added a rule for this token, so that its clients can write the same file. Others cannot.
    expect(await mute.invoke("write", { path: "note.txt", content: "again" })).toMatchObject({
      isError: false,
    });
    const { token } = await (await workspaceTokens(served.run)).add("bob", {});
    const bob = await clientOf({ ...served, token }, "refuse");
    const asBob = await write(bob);
    expect(textOf(asBob)).toContain("the user refused it");
    expect(await readFile(dir.at("note.txt"), "utf8")).toBe("again");
    await bob.close();
    // Tools of approved servers, and tools that only read, run without a question.
    expect(await mute.invoke("s__echo", { text: "free" })).toMatchObject({ isError: false });
    expect(await mute.invoke("read", { path: "note.txt" })).toMatchObject({ isError: false });
    expect(await mute.invoke("todo_set", { items: [] })).toMatchObject({ isError: false });
    await Promise.all(clients.map((client) => client.close()));
  },
);

verifies("serve:approval", "the mode and the rules of the command line decide first", async () => {
  await using dir = await tempDir();
  const policy = { mode: "plan", allow: ["bash"], deny: ["ls"] } as const;
  await using served = await serveIn(dir, { profile: "full", policy }, []);
  const client = await clientOf(served, "allow once");
  const refused = await client.invoke("write", { path: "x", content: "" });
  expect(textOf(refused)).toContain("write was refused by plan mode");
  expect(await names(client)).not.toContain("ls");
  await client.close();
  const bad = { mode: "default", allow: ["bash("], deny: [] } as const;
  await expect(
    openGateway(served.run, { servers: [], transport: { kind: "stdio" }, policy: bad }),
  ).rejects.toThrow('rule "bash("');
});

verifies(
  "serve:token",
  "over HTTP the profiles full and all need a token, which is made if none is given",
  async () => {
    await using dir = await tempDir();
    await using served = await serveIn(dir, { profile: "all" }, []);
    const { url, token } = served;
    expect(token).toMatch(/^[A-Za-z0-9_-]{32}$/);
    const send = (headers: Record<string, string>): Promise<Response> =>
      fetch(url, { method: "POST", body: "{}", headers: { "content-type": "application/json", ...headers } });
    expect((await send({})).status).toBe(401);
    expect((await send({ authorization: `Bearer ${token}x` })).status).toBe(401);
    expect((await send({ authorization: `Bearer ${token}` })).status).not.toBe(401);
    const client = await clientOf(served);
    expect(await names(client)).toContain("bash");
    await client.close();
  },
);

verifies("boot:ledger", "what a gateway mounts is recorded in the ledger of its run", async () => {
  await using dir = await tempDir();
  const { readLedgerHistory } = await import("induscode/deck");
  let folder = "";
  {
    await using served = await serveIn(dir, {});
    const client = await clientOf(served);
    await names(client);
    await client.close();
    folder = `${(await served.run.state.folder()).path}/ledger`;
    await eventually(async () => (await readLedgerHistory(folder)).events[0]);
  }
  const { events } = await readLedgerHistory(folder);
  expect(JSON.stringify(events)).toContain("s__echo");
  expect(new Set(events.map(({ segment }) => segment)).size).toBe(1);
});
