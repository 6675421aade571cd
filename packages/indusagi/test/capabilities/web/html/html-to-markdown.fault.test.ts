import { atSize, machinePace, verifies } from "@indus/testkit";
import fc from "fast-check";
import { expect } from "vitest";
import { htmlToMarkdown } from "../../../../src/capabilities/web/html/html-to-markdown.ts";

const AT = "https://site.test/docs/page.html";

async function markdown(html: string): Promise<string> {
  return (await htmlToMarkdown(html, AT)).markdown;
}

verifies("web:markdown", "headings, emphasis, line breaks, rules and quotes are kept", async () => {
  expect(await markdown("<h2>Two</h2><p>a <i>b</i><br>c<hr><blockquote><p>q1<p>q2</blockquote>")).toBe(
    "## Two\n\na *b*  \nc\n\n---\n\n> q1\n> \n> q2",
  );
});

verifies("web:markdown", "links and images become absolute; useless links keep only their text", async () => {
  expect(await markdown('<a href="../up?x=1&amp;y=2">up</a> <a href="//cdn.test/f">cdn</a>')).toBe(
    "[up](https://site.test/up?x=1&y=2) [cdn](https://cdn.test/f)",
  );
  expect(
    await markdown('<a href="javascript:x()">js</a> <a href="#top">top</a> <a href="data:,x">d</a> <a>n</a>'),
  ).toBe("js top d n");
  expect(await markdown('<img src="i.png" alt="a chart"><img src="j.png">')).toBe(
    "![a chart](https://site.test/docs/i.png)",
  );
  expect(await markdown('<base href="https://base.test/b/"><a href="c">c</a>')).toBe(
    "[c](https://base.test/b/c)",
  );
});

verifies("web:markdown", "lists are nested and numbered, also without closing tags", async () => {
  expect(await markdown("<ul><li>one<li>two<ol start=3><li>three<li>four</ol></ul>")).toBe(
    "- one\n- two\n  3. three\n  4. four",
  );
});

verifies("web:markdown", "code keeps its text, its language and its backticks", async () => {
  expect(
    await markdown('<pre><code class="hljs language-js">if (a &lt; b) {\n    c();\n}\n</code></pre>'),
  ).toBe("```js\nif (a < b) {\n    c();\n}\n```");
  expect(await markdown("<pre>a\n```\n<b>b</b></pre>")).toBe("````\na\n```\nb\n````");
  expect(await markdown("<p>use <code>a `b` c</code></p>")).toBe("use ``a `b` c``");
});

verifies("web:markdown", "data tables become pipe tables, layout tables become text", async () => {
  expect(await markdown("<table><tr><th>a<th>b<tr><td>1|2<td><tr><td><p>x</p><p>y</p><td>z</table>")).toBe(
    "| a | b |\n| --- | --- |\n| 1\\|2 |  |\n| x y | z |",
  );
  expect(await markdown("<table><tr><td><h1>Page</h1><td><p>side</p></table>")).toBe("# Page\n\nside");
  expect(await markdown("<table><tr><td>only<tr><td>column</table>")).toBe("only\n\ncolumn");
});

verifies("web:markdown", "the title is that of the page, not of an SVG in it", async () => {
  const { title } = await htmlToMarkdown(
    "<head><title>Real</title></head><svg><title>Drawn</title></svg>text",
    AT,
  );
  expect(title).toBe("Real");
});

const PROSE = "A sentence that a reader came for. ".repeat(10);

verifies("web:chrome", "scripts, styles, menus, footers and hidden parts are removed", async () => {
  const shown = await markdown(
    `<style>s{}</style><script>"</p>"</script><nav>menu</nav><main><p>${PROSE}</p><footer>note</footer></main>
     <div hidden>h1dden</div><p style="display: none">h2dden</p><p aria-hidden="true">h3dden</p><svg><text>draw</text></svg>
     <div role="navigation">menu</div><button>Buy</button><footer>imprint</footer><noscript>enable</noscript>`,
  );
  expect(shown).toContain(PROSE.trim());
  expect(shown).toContain("note");
  expect(shown).not.toMatch(/menu|dden|draw|Buy|imprint|enable|s\{\}/);
});

verifies("web:chrome", "a page that is all chrome is shown, but never its scripts", async () => {
  const shown = await markdown(
    `<nav><ul><li>${PROSE}</ul><script>code()</script><noscript>needs scripts</noscript>`,
  );
  expect(shown).toContain(PROSE.trim());
  expect(shown).toContain("needs scripts");
  expect(shown).not.toContain("code()");
});

/** Pages made to be slow or deep; each is repeated to the given length. */
const HOSTILE: readonly (readonly [name: string, repeat: string, before?: string, after?: string])[] = [
  ["deep blocks", "<div>", "", "end"],
  ["deep inline", "<b><i>", "", "end"],
  ["deep lists", "<ul><li>x"],
  ["deep quotes", "<blockquote>x"],
  ["deep tables", "<table><tr><td>a<td>b"],
  ["closing what is not open", "</b>", "<div>".repeat(2000)],
  ["long ordered list", "<li>a", "<ol>"],
  ["wide row", "<td>a", "<table><tr>"],
  ["long links", "<a href=a>b</a>", `<base href="https://x.test/${"p".repeat(1900)}/">`],
  ["broken links", "<a href='http://['>b</a>"],
  ["white space in pre", " ", "<pre>", "x"],
  ["white space as entities", "&#32;", "<pre>x", "x"],
  ["newlines in pre in a list", "\n", "<ul><li><pre>x", "x"],
  ["inline code", "x", "<p><code> "],
  ["backticks", "`", "<pre>"],
  ["empty paragraphs", "<p>"],
  ["headings", "<h1>x"],
  ["breaks", "<br>"],
  ["unfinished tags", "<"],
  ["unfinished attributes", ' a="', "<p"],
  ["unfinished comments", "<!--"],
  ["entities", "&"],
  ["foreign titles", "<svg><title/>x</svg>"],
  ["misnested", "<p><b>x<i>y</b>z<table><a href=x>"],
  ["alternative text", "\n", "<img src=x alt='", "x'>"],
];

verifies(
  "web:markdown-total",
  "pages made to be slow or deep are converted in limited time",
  async () => {
    const size = atSize({ quick: 32, full: 5 * 1024 }) * 1024;
    for (const [name, repeat, before = "", after = ""] of HOSTILE) {
      const html = before + repeat.repeat(Math.ceil(size / repeat.length)) + after;
      const pace = await machinePace();
      const started = performance.now();
      const shown = await markdown(html);
      const ms = performance.now() - started;
      await pace.check([ms], { what: name, hangMs: atSize({ quick: 4000, full: 20_000 }), medianMs: 5000 });
      expect(shown.length, name).toBeLessThan(8 * 1024 * 1024);
    }
  },
  { timeoutMs: 180_000 },
);

verifies("web:markdown-total", "nesting a hundred thousand deep loses no text", async () => {
  const shown = await markdown(`${"<div>".repeat(100_000)}<p>deep words${"</div>".repeat(100_000)}<p>after`);
  expect(shown).toContain("deep words");
  expect(shown).toContain("after");
});

verifies("web:markdown-total", "a long text is cut and marked; other work runs meanwhile", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const page = await htmlToMarkdown(`<p>${"word ".repeat(500_000)}</p>`, AT);
  clearInterval(timer);
  expect(page.isCut).toBe(true);
  expect(page.markdown.length).toBeGreaterThan(1_000_000);
  expect(turns).toBeGreaterThan(0);
});

verifies("web:markdown-total", "arbitrary tags and text never throw", async () => {
  const names =
    "a b p div ul ol li table tr td th pre code h1 blockquote svg title script br img nav base x-y".split(
      " ",
    );
  const tag = fc
    .tuple(
      fc.constantFrom("<", "</", "<!", "<?"),
      fc.constantFrom(...names),
      fc.constantFrom("", " href=x", " class='language-js'", " hidden", ' style="'),
    )
    .map(([open, name, attribute]) => `${open}${name}${attribute}>`);
  const soup = fc.array(
    fc.oneof(tag, fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("&amp;", "&#0;", "\0", "-->")),
  );
  await fc.assert(
    fc.asyncProperty(soup, async (pieces) => {
      const { title, markdown: shown } = await htmlToMarkdown(pieces.join(""), AT);
      expect(typeof title).toBe("string");
      expect(typeof shown).toBe("string");
    }),
    { numRuns: atSize({ quick: 60, full: 5000 }) },
  );
});
