import { clientPlace, dial, type GatewayPlace, isInOurTree, type Screen } from "../link/index.ts";
import { readGateway } from "./gateway-line.ts";
import { CODES, tell } from "./this-process.ts";

/** `indus mcp call`: the gateway makes the call, and this process shows what the command would have shown. */
export async function callThrough(
  place: GatewayPlace,
  words: readonly string[],
  runPrivately: () => void,
): Promise<void> {
  if (isInOurTree()) return runPrivately();
  const { stdout, stderr } = process;
  const screenOf = ({ isTTY, columns, rows }: NodeJS.WriteStream): Screen | undefined =>
    isTTY ? { columns, rows } : undefined;
  const screens = { out: screenOf(stdout), err: screenOf(stderr) };
  const dialled = await dial(place, { kind: "call", words, screens, ...clientPlace() });
  if (!("socket" in dialled)) {
    // It would only wait for the same gateway again.
    if (dialled.reason === "broken") process.env["INDUS_NO_SHARE"] = "1";
    return runPrivately();
  }
  const { socket } = dialled;
  let end: number | undefined;
  let why = "the background gateway ended during the call";
  for (const [name, code] of Object.entries(CODES))
    process.on(name, () => {
      end = code;
      socket.destroy();
    });
  for (const stream of [stdout, stderr]) stream.on("error", () => socket.destroy());
  readGateway(socket, {
    onMessage: () => {},
    onControl: ({ out, bytes, end: code }) => {
      if (typeof out === "string") stdout.write(out);
      if (typeof bytes === "string") stdout.write(Buffer.from(bytes, "base64"));
      if (typeof code !== "number") return;
      end = code;
      socket.destroy();
    },
    onSilent: () => {
      why = "the background gateway stopped answering during the call";
      socket.destroy();
    },
  });
  socket.on("close", () => {
    if (end === undefined) tell(`${why}, which may have run`);
    process.exitCode = end ?? 1;
  });
  socket.resume();
}
