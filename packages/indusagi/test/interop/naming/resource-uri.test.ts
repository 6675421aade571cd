import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { namespaceUri, parseNamespacedUri } from "indusagi/interop";
import { expect } from "vitest";
import { isOwnUri } from "../../../src/interop/naming/index.ts";
import { matchesUriTemplate } from "../../../src/interop/relay/index.ts";

const id = fc.oneof(
  fc.stringMatching(/^[\w.~%/-]{0,8}$/),
  fc.constantFrom("a", "a/b", ".", "..", "~002e", "%2e", "é", "😀"),
  fc.string({ unit: "binary", maxLength: 4 }),
);
const uri = fc.oneof(
  fc.webUrl(),
  fc.constantFrom("test://a", "", "/", "a/b", "indus://resource/a/b", "ui://a/b", "UI://indus+a/b", "ui://"),
  fc.stringMatching(/^ui:\/\/(indus\+)?[\w.~/-]{0,8}$/),
  fc.string(),
);

verifies("relay:namespaced", "parsing returns the server and the URI of every namespaced URI", () => {
  fc.assert(
    fc.property(id, uri, (server, text) => {
      expect(parseNamespacedUri(namespaceUri({ server, uri: text }))).toEqual({ server, uri: text });
    }),
  );
});

verifies(
  "relay:namespaced",
  "no two pairs of a server and a URI share a name, whichever of them are plain",
  () => {
    const ref = fc.record({ server: id, uri });
    const nameOf = (each: { readonly server: string; readonly uri: string }, isPlain: boolean): string =>
      isPlain && !isOwnUri(each.uri) ? each.uri : namespaceUri(each);
    fc.assert(
      fc.property(ref, ref, fc.boolean(), (a, b, isPlain) => {
        fc.pre(a.server !== b.server || a.uri !== b.uri);
        // Only a URI that one server has is plain, so two plain ones differ.
        expect(nameOf(a, isPlain && a.uri !== b.uri)).not.toBe(nameOf(b, false));
      }),
    );
  },
);

verifies("relay:namespaced", "what is parsed has one spelling only; other texts are not ours", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("indus://resource/", "ui://indus+"),
      fc.stringMatching(/^[\w.~/-]{0,12}$/),
      (start, rest) => {
        const text = `${start}${rest}`;
        const ref = parseNamespacedUri(text);
        if (ref) expect(namespaceUri(ref)).toBe(text);
      },
    ),
  );
  for (const text of ["indus://resource/~0061/x", "indus://resource/a", "indus://other/a/b", "test://a", ""])
    expect(parseNamespacedUri(text), text).toBeUndefined();
  expect([isOwnUri("INDUS://x"), isOwnUri("indus:x")]).toEqual([true, false]);
});

verifies("relay:namespaced", "a URL parser leaves it as it is, and a template stays a template", () => {
  for (const server of ["a", ".", "..", "a b", "é", "a/b", "%2e%2e"]) {
    const name = namespaceUri({ server, uri: "test://host/path?q=1#part" });
    expect(new URL(name).href).toBe(name);
  }
  const template = namespaceUri({ server: "a", uri: "test://{id}{?q}" });
  const expanded = namespaceUri({ server: "a", uri: "test://7?q=x" });
  expect(matchesUriTemplate(template, expanded)).toBe(true);
});

verifies("apps:names", "the page of an app keeps its scheme, so clients still recognise it", () => {
  const name = namespaceUri({ server: "a b", uri: "ui://charts/view.html" });
  expect(name).toBe("ui://indus+a~0020b/charts/view.html");
  expect(new URL(name).href).toBe(name);
  expect(parseNamespacedUri(name)).toEqual({ server: "a b", uri: "ui://charts/view.html" });
});
