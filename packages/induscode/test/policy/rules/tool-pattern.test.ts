import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { wireName } from "indusagi/interop";
import { createPolicy, decide, parseRule } from "induscode/policy";
import { expect } from "vitest";
import {
  checkToolPattern,
  type KnownTools,
  parseToolPattern,
  suggestRules,
} from "../../../src/policy/internal.ts";

interface Pair {
  readonly server: string;
  readonly tool: string;
}

/** Parts whose joins can be divided in several ways. */
const part = fc
  .array(fc.constantFrom("a", "b", "_", "__", "list", "sub"), { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(""));
const pair: fc.Arbitrary<Pair> = fc.record({ server: part, tool: part });
const shownAs = ({ server, tool }: Pair, name = tool) => ({
  tool: wireName({ server, name }),
  origin: { server, tool },
});
/** A pattern that is meant for a pair: some of its characters are replaced by wildcards, but not the separator. */
const meant = ({ server, tool }: Pair): fc.Arbitrary<string> =>
  fc.tuple(widened(server), widened(tool)).map(([serverPart, toolPart]) => `${serverPart}__${toolPart}`);
const widened = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.nat(text.length), fc.boolean())
    .map(([from, to, isWide]) => (isWide ? `${text.slice(0, Math.min(from, to))}*` : text));
const pairAndPattern = pair.chain((real) => fc.tuple(fc.constant(real), meant(real)));
const policyOf = (rules: { allow?: string[]; ask?: string[]; deny?: string[] }, servers: readonly string[]) =>
  createPolicy({ cwd: "/", effectOf: () => ({ readOnly: false }), ...rules, servers: () => servers });

verifies(
  "policy:readings",
  "a deny or ask rule reaches the tool that it is written for, by any division",
  () => {
    const wiped = { tool: "notes__sub__wipe", origin: { server: "notes", tool: "sub__wipe" } };
    for (const text of [
      "notes__sub__*",
      "notes__sub__wipe",
      "notes__*",
      "*__sub__*",
      "notes__*__wipe",
      "*__*",
    ])
      for (const verdict of ["deny", "ask"] as const)
        expect([text, parseRule(text, verdict).rule?.matchesTool(wiped)]).toEqual([text, true]);
    for (const text of ["notes__sub", "notes__wipe", "sub__*", "notes", "note__sub__*"])
      expect([text, parseRule(text, "deny").rule?.matchesTool(wiped)]).toEqual([text, false]);
    fc.assert(
      fc.property(pairAndPattern, fc.option(part, { nil: undefined }), ([real, text], name) => {
        for (const verdict of ["deny", "ask"] as const)
          expect(parseRule(text, verdict).rule?.matchesTool(shownAs(real, name))).toBe(true);
      }),
    );
  },
);

verifies("policy:readings", "a deny rule wins over every allow rule, whatever their divisions", () => {
  fc.assert(
    fc.property(pairAndPattern, fc.array(part, { maxLength: 3 }), ([real, text], others) => {
      const servers = [real.server, ...others];
      const effect = { ...shownAs(real), readOnly: false, input: {} };
      const allow = ["*", "*__*", `${real.server}__${real.tool}`];
      const denied = policyOf({ allow, deny: [text] }, servers);
      expect(decide(effect, denied.rules())).toMatchObject({ verdict: "deny", by: "deny" });
      expect(decide(effect, policyOf({ allow }, servers).rules())).toMatchObject({ by: "allow" });
    }),
  );
});

verifies("policy:readings", "a permission counts only where one division names an approved server", () => {
  const sub = parseToolPattern("notes__sub__*");
  const [outer, inner] = [
    { tool: "notes__sub__wipe", origin: { server: "notes", tool: "sub__wipe" } },
    { tool: "notes__sub__wipe_0badcafe", origin: { server: "notes__sub", tool: "wipe" } },
  ];
  const granted = (servers?: readonly string[]): boolean[] =>
    [outer, inner].map((tool) => sub.grants(tool, servers));
  expect(granted(["notes", "git"])).toEqual([true, false]);
  expect(granted(["git", "notes__sub"])).toEqual([false, true]);
  expect(granted(["notes", "notes__sub"])).toEqual([false, false]);
  expect(granted(["git"])).toEqual([false, false]);
  expect(granted()).toEqual([false, false]);
  // A wildcard in the part of the server keeps its meaning: it ends at the first separator.
  expect(parseToolPattern("*__sub__*").grants(outer, ["notes", "notes__sub"])).toBe(true);
  expect(parseToolPattern("*__sub__*").grants(inner, ["notes", "notes__sub"])).toBe(false);
  fc.assert(
    fc.property(pairAndPattern, fc.array(part, { maxLength: 4 }), ([real, text], others) => {
      const servers = [...new Set([real.server, ...others])];
      const pattern = parseToolPattern(text);
      const tool = shownAs(real);
      const isWild = text.slice(0, text.indexOf("__")).includes("*");
      const readings = pattern.readings(servers);
      const isGranted = pattern.grants(tool, servers);
      // What is granted is also reached, so that the same text as a deny rule takes all of it back.
      if (isGranted) expect(pattern.reaches(tool)).toBe(true);
      if (isGranted) expect(pattern.grantsServer(real.server, servers)).toBe(true);
      if (!isWild && readings.length > 1) expect(isGranted).toBe(false);
      if (!isWild && readings.length === 1) expect(isGranted).toBe(true);
      // Without the list of servers no more is granted than with any.
      if (!isWild && pattern.grants(tool)) expect(text.split("__")).toHaveLength(2);
    }),
  );
});

verifies("policy:real-tool", "a shown name neither gets nor loses the permission of another tool", () => {
  const servers = ["notes"];
  const wipe = shownAs({ server: "notes", tool: "wipe" }, "list");
  const list = shownAs({ server: "notes", tool: "list" }, "other");
  expect(wipe.tool).toBe("notes__list");
  for (const text of ["notes__list", "notes__l*"]) {
    expect(parseToolPattern(text).grants(wipe, servers)).toBe(false);
    expect(parseToolPattern(text).grants(list, servers)).toBe(true);
    // A refusal of what the user sees holds too.
    expect(parseToolPattern(text).reaches(wipe)).toBe(true);
  }
  expect(parseToolPattern("notes__wipe").grants(wipe, servers)).toBe(true);
  fc.assert(
    fc.property(pair, part, fc.integer({ min: 24, max: 64 }), (real, name, limit) => {
      const ref = { server: real.server, name: real.tool };
      const [plain, short] = [wireName(ref), wireName(ref, limit)];
      const shown = shownAs(real, name);
      for (const text of [plain, short]) {
        const isHashed = text !== `${real.server}__${real.tool}`;
        // The hash is the one of the real pair, among all servers.
        if (isHashed) expect(parseToolPattern(text).grants(shown, [real.server, "a", "a__b"])).toBe(true);
        expect(parseToolPattern(text).reaches(shown)).toBe(true);
        if (isHashed && name !== real.tool)
          expect(parseToolPattern(shown.tool).grants(shown, [])).toBe(false);
      }
    }),
  );
});

verifies("policy:real-tool", "a suggested rule allows the tool it is suggested for, or there is none", () => {
  fc.assert(
    fc.property(pair, part, fc.array(part, { maxLength: 3 }), (real, name, others) => {
      const servers = [real.server, ...others];
      const effect = { ...shownAs(real, name), readOnly: false, input: {} };
      for (const rule of suggestRules(effect, servers)) {
        const allowing = policyOf({ allow: [rule] }, servers);
        expect(decide(effect, allowing.rules())).toMatchObject({ verdict: "allow", by: "allow" });
      }
    }),
  );
  const renamed = shownAs({ server: "notes", tool: "wipe" }, "list");
  expect(suggestRules({ ...renamed, readOnly: false, input: {} }, ["notes"])).toEqual([
    "notes__wipe",
    "notes__*",
  ]);
  const between = shownAs({ server: "notes", tool: "sub__wipe" });
  expect(suggestRules({ ...between, readOnly: false, input: {} }, ["notes", "notes__sub"])).toEqual([
    "notes__*",
  ]);
});

const known = (tools: { readonly [server: string]: readonly string[] | undefined }): KnownTools => ({
  servers: Object.keys(tools),
  pending: ["theirs"],
  own: ["bash", "webfetch", "indus__status"],
  isListed: (server) => tools[server] !== undefined,
  toolsOf: (server) =>
    (tools[server] ?? []).map((tool) => shownAs({ server, tool }, tool === "wipe" ? "tidy" : tool)),
});

verifies(
  "policy:unmatched",
  "a pattern is fine, waits for a listing, or has a problem with the nearest name",
  async () => {
    const world = known({ notes: ["add", "wipe", "sub__x"], notes__sub: ["x"], late: undefined });
    const check = (text: string, isGrant = true) => checkToolPattern(parseToolPattern(text), isGrant, world);
    for (const text of ["notes__*", "notes__a*", "bash", "*", "web*", "indus__status", "*__add"])
      expect([text, await check(text)]).toEqual([text, "fine"]);
    expect(await check(wireName({ server: "notes__sub", name: "x" }))).toBe("fine");
    for (const text of ["late__x", "theirs__x", "*__zzz", "notes__sub__x_0badcafe"])
      expect([text, await check(text)]).toEqual([text, "open"]);
    expect(await check("notes__sub__x", false)).toBe("fine");
    const nothing = "matches nothing that is known";
    for (const [text, problem] of [
      [
        "notes__sub__x",
        "means sub__x of server notes or x of server notes__sub, so it allows nothing; rename one of these servers",
      ],
      ["notes__ad", `${nothing}; did you mean notes__add?`],
      ["notes__zzzzzzzz", `${nothing}; indus mcp tools lists the tools`],
      ["nots__*", `${nothing}; did you mean notes__…?`],
      ["nots__add", `${nothing}; did you mean notes__add?`],
      ["web_fetch", `${nothing}; did you mean webfetch?`],
      ["notes__tidy", "is only a name that a row shows; write notes__wipe"],
    ] as const)
      expect([text, await check(text)]).toEqual([text, { problem }]);
    expect(await check("notes__tidy", false)).toBe("fine");
    // Without any server nothing can be said about all of them.
    expect(await checkToolPattern(parseToolPattern("*__delete*"), false, known({}))).toBe("open");
  },
);

verifies(
  "policy:readings",
  "a deny rule also reaches a tool by the name that a row shows, if that ends in a hash",
  () => {
    const cases: readonly (readonly [rule: string, server: string, name: string])[] = [
      ["notes__list", "notes", "list"],
      ["my.srv__list", "my.srv", "list"],
      ["notes__sub__list", "notes__sub", "list"],
      ["notes__read.file", "notes", "read.file"],
      ["_x__list", "_x", "list"],
      [`notes__${"x".repeat(70)}`, "notes", "x".repeat(70)],
    ];
    for (const limit of [48, 64])
      for (const [rule, server, name] of cases) {
        const shown = { tool: wireName({ server, name }, limit), origin: { server, tool: "wipe" } };
        expect([rule, parseRule(rule, "deny").rule?.matchesTool(shown)]).toEqual([rule, true]);
        expect(parseRule(rule, "allow").rule?.matchesTool(shown, [server])).toBe(false);
      }
  },
);
