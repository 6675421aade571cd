import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { Ask } from "./ask.ts";
import { LineCutter, readObject } from "./lines.ts";
import { type GatewayPlace, readKey } from "./place.ts";
import { freshNonce, isNonce, isProof, proofOf } from "./proof.ts";

/** An open connection whose other end has proved that it is the user's gateway, and accepted what was asked. */
export interface Dialled {
  readonly socket: Socket;
  /** What it said when it accepted. */
  readonly answer: { readonly [member: string]: unknown };
}

/** Why there is no connection. */
export interface NotDialled {
  /** `absent`: there is no gateway. `refused`: it does not want this client. `broken`: something is there that cannot be used. */
  readonly reason: "absent" | "refused" | "broken";
  readonly message: string;
}

/** A gateway answers at once, if it is one. */
const DIAL_MS = 3_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The first place that has a gateway's socket. */
export function livePlace(places: readonly GatewayPlace[]): GatewayPlace | undefined {
  return places.find(({ key }) => existsSync(key));
}

/** Connects to the gateway of a place. Never rejects. */
export function dial(place: GatewayPlace, ask: Ask, waitMs: number = DIAL_MS): Promise<Dialled | NotDialled> {
  return new Promise((resolve) => {
    let key: Buffer;
    try {
      key = readKey(place);
    } catch (thrown) {
      return resolve({ reason: existsSync(place.key) ? "broken" : "absent", message: messageOf(thrown) });
    }
    const socket = connect(place.socket);
    const fail = (reason: NotDialled["reason"], message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ reason, message });
    };
    const timer = setTimeout(() => fail("broken", `it did not answer within ${waitMs / 1_000} s`), waitMs);
    const nonce = freshNonce();
    let step: (line: { readonly [member: string]: unknown }) => void = (line) => {
      const gateway = line["nonce"];
      if (!isNonce(gateway)) return fail("broken", "it does not speak as a gateway does");
      const nonces = { client: nonce, gateway };
      if (!isProof(line["proof"], proofOf("gateway", key, nonces)))
        return fail("broken", "it does not know the key of your gateway");
      socket.write(`${JSON.stringify({ proof: proofOf("client", key, nonces), ask })}\n`);
      step = (answer) => {
        if (typeof answer["no"] === "string") return fail("refused", answer["no"]);
        if (answer["ok"] !== true) return fail("broken", "it does not speak as a gateway does");
        clearTimeout(timer);
        socket.off("data", onData).off("error", onError).off("close", onClose);
        socket.pause();
        isOver = true;
        resolve({ socket, answer });
      };
    };
    let isOver = false;
    const after: Buffer[] = [];
    const cutter = new LineCutter(
      (line) => {
        if (isOver) after.push(line);
        else step(readObject(line) ?? {});
      },
      { maxBytes: MAX_ANSWER_BYTES, onOverflow: () => fail("broken", "it does not speak as a gateway does") },
    );
    const onData = (chunk: Buffer): void => {
      cutter.push(chunk);
      if (isOver) socket.unshift(Buffer.concat([...after, cutter.takeRest()]));
    };
    const onError = (thrown: NodeJS.ErrnoException): void =>
      fail("broken", NOBODY.has(thrown.code) ? "nothing listens at its socket" : messageOf(thrown));
    const onClose = (): void => fail("broken", "it closed the connection");
    socket.on("data", onData).on("error", onError).on("close", onClose);
    socket.write(`${JSON.stringify({ indus: 1, nonce })}\n`);
  });
}

/** A socket without its process, and one that is gone. A named pipe of Windows goes with its process. */
const NOBODY: ReadonlySet<string | undefined> = new Set(["ECONNREFUSED", "ENOENT"]);

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
