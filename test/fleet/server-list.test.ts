import { readFileSync } from "node:fs";
import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { chooseServers, parseFleetList } from "../../fleet/server-list.ts";

const list = parseFleetList(readFileSync(new URL("../../fleet/servers.json", import.meta.url), "utf8"));

/** A list with one server, changed in some members. */
function withRow(row: object, name = "files"): string {
  const whole = { package: "some-server", version: "1.2.3", bin: "some-server", ...row };
  return JSON.stringify({ servers: { [name]: whole }, leftOut: {} });
}

verifies("fleet-run:list", "the list has at least 40 servers, nearly all with a call", () => {
  expect(list.servers.length).toBeGreaterThanOrEqual(40);
  expect(list.servers.filter(({ call }) => call).length).toBeGreaterThanOrEqual(list.servers.length - 3);
  expect(new Set(list.servers.map((server) => server.package)).size).toBe(list.servers.length);
});

verifies("fleet-run:list", "a server that is left out is not in the list, and has a reason", () => {
  const used = new Set(list.servers.map((server) => server.package));
  expect(list.leftOut.filter((server) => used.has(server.package))).toEqual([]);
  expect(list.leftOut.filter(({ why }) => why.length < 10)).toEqual([]);
});

verifies("fleet-run:list", "no server is a dependency of this repository because of the list", () => {
  const names = ["package.json", "packages/indusagi/package.json", "packages/induscode/package.json"];
  const depended = names.flatMap((name) => {
    const text = readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
    const { dependencies, devDependencies } = JSON.parse(text) as { [group: string]: object | undefined };
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const shared = list.servers.map((server) => server.package).filter((name) => depended.includes(name));
  // These are fixtures of tests and examples, with versions of their own.
  expect(shared.filter((name) => !name.startsWith("@modelcontextprotocol/server-"))).toEqual([]);
});

verifies("fleet-run:list", "a range, an ambiguous name and a wrong type are refused with their place", () => {
  expect(() => parseFleetList(withRow({ version: "^1.2.3" }))).toThrow("servers.files.version: ^1.2.3");
  expect(() => parseFleetList(withRow({}, "my_files"))).toThrow("servers.my_files: a name");
  expect(() => parseFleetList(withRow({ args: [1] }))).toThrow("servers.files.args[0]: not a text");
  expect(() => parseFleetList(withRow({ call: { tool: "" } }))).toThrow(
    "servers.files.call.tool: not a text",
  );
  expect(() => parseFleetList("[]")).toThrow("the list: not an object");
});

verifies("fleet-run:list", "--only takes servers of the list and names an unknown one", () => {
  const { servers } = list;
  expect(chooseServers(servers, ["hello"]).map(({ name }) => name)).toEqual(["hello"]);
  expect(chooseServers(servers, [])).toBe(servers);
  expect(() => chooseServers(servers, ["hello", "no-such"])).toThrow("--only: no server no-such");
});
