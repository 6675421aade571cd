import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { appPolicy } from "../../src/console/apps.ts";

const MEMBERS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];

verifies(
  "console:apps",
  "whatever an app declares, its policy has the same rules, and none leads to this machine",
  () => {
    const rules = (policy: string): string[] => policy.split("; ").map((rule) => rule.split(" ")[0] ?? "");
    const plain = rules(appPolicy(undefined));
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "*",
        "https:",
        "'self'",
        "'unsafe-eval'",
        "data:",
        "https://a.example; script-src *",
        "https://a.example script-src",
        "http://127.0.0.1:7717",
        "https://127.0.0.1:7717",
        "https://localhost:7717",
        "https://x.localhost",
        "https://[::1]",
        "https://2130706433",
        "https://0x7f.1",
        "javascript:alert(1)",
        "https://a.example/\nset-cookie: x",
      ),
      fc.webUrl(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...MEMBERS), fc.array(hostile), (member, sources) => {
        const policy = appPolicy({ [member]: sources });
        expect(rules(policy)).toEqual(plain);
        expect(policy).not.toMatch(/127\.0\.0\.1|localhost|\[::1\]|2130706433|unsafe-eval|[\r\n]/);
        expect(policy).not.toMatch(/-src[^;]* (\*|https:|'self')( |;|$)/);
      }),
      { seed: 36, numRuns: 100 },
    );
    expect(appPolicy({ connectDomains: ["https://api.example.com", "wss://*.example.com:8443"] })).toContain(
      "connect-src https://api.example.com wss://*.example.com:8443;",
    );
  },
);
