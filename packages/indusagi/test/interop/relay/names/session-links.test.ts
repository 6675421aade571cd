import { verifies } from "@indus/testkit";
import { expect } from "vitest";
import { linkHolder, SessionLinks } from "../../../../src/interop/relay/names/session-links.ts";

verifies("relay:links", "each client has its own links, and the oldest are forgotten", () => {
  const links = new SessionLinks({ clients: 2, links: 2, chars: 10 });
  links.add("a", "x://1", "s");
  links.add("a", "x://1", "t");
  links.add("a", "x://1", "s");
  expect(links.serversOf("a", "x://1")).toEqual(["s", "t"]);
  expect(links.serversOf("b", "x://1")).toEqual([]);
  links.add("a", "x://2", "s");
  links.add("a", "x://3", "s");
  links.add("a", "x://much-too-long", "s");
  expect(["x://1", "x://2", "x://3"].map((uri) => links.serversOf("a", uri).length)).toEqual([0, 1, 1]);
  links.add("b", "x://1", "s");
  links.add("a", "x://2", "s");
  links.add("c", "x://1", "s");
  expect(["a", "b", "c"].map((client) => links.serversOf(client, "x://1").length)).toEqual([0, 0, 1]);
  expect(links.serversOf("a", "x://2")).toEqual(["s"]);
});

verifies("relay:links", "a client without session and principal is known by its name only", () => {
  const single = (key: string, name: string): string =>
    linkHolder({ key, can: {}, isSingle: true, client: { name } });
  expect(single("request_1", "one")).toBe(single("request_2", "one"));
  expect(single("request_1", "one")).not.toBe(single("request_1", "two"));
  expect(linkHolder({ key: "one", can: {} })).not.toBe(linkHolder({ key: "two", can: {} }));
  expect(linkHolder(undefined)).toBe("");
});
