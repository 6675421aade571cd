import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { type TempDir, tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { type BackgroundGateway, openBackgroundGateway } from "../../src/background/hub/index.ts";
import {
  type Dialled,
  dial,
  type GatewayPlace,
  gatewayPlaces,
  livePlace,
  type NotDialled,
} from "../../src/background/link/index.ts";

interface Open extends AsyncDisposable {
  readonly gateway: BackgroundGateway;
  readonly place: GatewayPlace;
  readonly dir: TempDir;
}

const placeIn = (dir: TempDir, env: object = {}): GatewayPlace => {
  const [place] = gatewayPlaces({
    env: { HOME: dir.at("home"), XDG_RUNTIME_DIR: dir.path, ...env },
    build: "one",
  });
  if (!place) throw new Error("no place");
  return place;
};

/** A gateway whose clients are only admitted. */
async function openGateway(): Promise<Open> {
  const dir = await tempDir();
  const place = placeIn(dir);
  const controller = new AbortController();
  const gateway = await openBackgroundGateway({
    ...{ place, version: "1", signal: controller.signal, report: () => {} },
    refusal: async ({ words }) => (words?.includes("no") ? "not you" : undefined),
    console: async () => ({}),
    serve: ({ signal }) => new Promise((over) => signal.addEventListener("abort", () => over())),
  });
  return {
    ...{ gateway, place, dir },
    [Symbol.asyncDispose]: async () => {
      controller.abort(new Error("the test is over"));
      await gateway.ended;
      await dir[Symbol.asyncDispose]();
    },
  };
}

const why = (dialled: Dialled | NotDialled): string => {
  if (!("socket" in dialled)) return `${dialled.reason}: ${dialled.message}`;
  dialled.socket.destroy();
  return "connected";
};

const posix = { only: ["linux", "darwin"] as const };

verifies(
  "background:found",
  "whatever the environment, the path of a socket is short, and other users, homes and builds have other names",
  () => {
    const folder = fc.string({ maxLength: 120 }).map((text) => `/${text.replaceAll("\0", "")}`);
    fc.assert(
      fc.property(folder, folder, folder, fc.nat(), (home, runtime, config, uid) => {
        const env = { HOME: home, XDG_RUNTIME_DIR: runtime, XDG_CONFIG_HOME: config };
        const names = (given: object, build = "1", who = uid): string[] =>
          gatewayPlaces({ env: { ...env, ...given }, build, platform: "linux", uid: who }).map(
            ({ socket }) => socket,
          );
        const own = names({});
        expect(own.length).toBeGreaterThan(0);
        for (const path of own) expect(Buffer.byteLength(path)).toBeLessThan(100);
        for (const other of [names({}, "2"), names({}, "1", uid + 1), names({ HOME: `${home}x` })])
          for (const path of other) expect(own).not.toContain(path);
      }),
    );
    expect(gatewayPlaces({ env: {}, build: "1" })).toEqual([]);
    expect(gatewayPlaces({ env: { HOME: "relative" }, build: "1", platform: "linux" })).toEqual([]);
  },
);

verifies(
  "background:proof",
  "a client that knows the key is admitted; a refusal says why; the same place has one gateway",
  async () => {
    await using open = await openGateway();
    const { place, gateway } = open;
    expect(livePlace([place])).toBe(place);
    expect(why(await dial(place, { kind: "serve", words: ["no"] }))).toBe("refused: not you");
    const client = await dial(place, { kind: "serve", pid: 7, cwd: "/there" });
    expect("socket" in client).toBe(true);
    expect(gateway.report().clients).toMatchObject([{ pid: 7, cwd: "/there", kind: "serve" }]);
    const report = await dial(place, { kind: "status" });
    expect("answer" in report && report.answer["report"]).toMatchObject({ version: "1", isDraining: false });
    await expect(
      openBackgroundGateway({
        ...{ place, version: "1", signal: new AbortController().signal, report: () => {} },
        refusal: async () => undefined,
        serve: async () => {},
        console: async () => ({}),
      }),
    ).rejects.toThrow(`process ${process.pid} is your background gateway already`);
    why(client);
    why(report);
  },
);

verifies(
  "background:proof",
  "a stranger learns nothing: a wrong proof, no proof, a flood and another protocol are hung up on",
  async () => {
    await using open = await openGateway();
    const nonce = "0".repeat(48);
    const tries = [
      "GET / HTTP/1.1\r\n\r\n",
      `${JSON.stringify({ nonce })}\n${JSON.stringify({ proof: "x".repeat(64), ask: { kind: "status" } })}\n`,
      `${"x".repeat(8_000_000)}\n`,
    ];
    for (const text of tries) {
      const socket = connect(open.place.socket);
      let heard = "";
      socket.on("data", (chunk: Buffer) => (heard += chunk.toString())).on("error", () => {});
      socket.write(text);
      await new Promise((closed) => socket.on("close", closed));
      expect(heard).not.toContain("report");
      expect(heard.split("\n").length).toBeLessThanOrEqual(2);
    }
    expect(open.gateway.report().clients).toEqual([]);
  },
);

verifies(
  "background:private",
  "another key, a damaged one, open modes, a link, an impostor, a mute listener and a dead socket are told apart",
  async () => {
    const open = await openGateway();
    const { place, dir } = open;
    const right = await readFile(place.key);
    const ask = { kind: "status" } as const;
    await writeFile(place.key, Buffer.alloc(right.length));
    expect(why(await dial(place, ask))).toBe("broken: it does not know the key of your gateway");
    await writeFile(place.key, "short");
    expect(why(await dial(place, ask))).toBe(`broken: ${place.key} is damaged`);
    await writeFile(place.key, right);
    await chmod(place.key, 0o640);
    expect(why(await dial(place, ask))).toBe(`broken: other users can open ${place.key}`);
    await chmod(place.key, 0o600);
    await chmod(place.folder, 0o755);
    expect(why(await dial(place, ask))).toBe(`broken: other users can open ${place.folder}`);
    await chmod(place.folder, 0o700);
    expect(why(await dial(place, ask))).toBe("connected");
    await open[Symbol.asyncDispose]();
    expect(why(await dial(place, ask))).toMatch(/^absent: /);

    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    await writeFile(place.key, right, { mode: 0o600 });
    expect(why(await dial(place, ask))).toBe("broken: nothing listens at its socket");
    const impostor = createServer((socket) =>
      socket.resume().write(`{"nonce":"${"1".repeat(48)}","proof":"${"0".repeat(64)}"}\n`),
    );
    await new Promise<void>((listening) => void impostor.listen(place.socket, listening));
    expect(why(await dial(place, ask))).toBe("broken: it does not know the key of your gateway");
    await new Promise((closed) => impostor.close(closed));
    const mute = createServer((socket) => void socket.resume());
    await new Promise<void>((listening) => void mute.listen(place.socket, listening));
    expect(why(await dial(place, ask, 50))).toBe("broken: it did not answer within 0.05 s");
    await new Promise((closed) => mute.close(closed));
    await mkdir(dir.at("evil"), { mode: 0o700 });
    await rm(place.folder, { recursive: true });
    await symlink(dir.at("evil"), place.folder);
    await writeFile(place.key, right, { mode: 0o600 });
    expect(why(await dial(place, ask))).toBe(`broken: ${place.folder} is a link`);
    await dir[Symbol.asyncDispose]();
  },
  posix,
);
