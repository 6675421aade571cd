import { bundleLibrary } from "./bundle-library.mjs";

const REQUIRED = /createRequire\(import\.meta\.url\)\("([^"]+)"\)/g;
const MARK = "\0inlined:";

/**
 * Puts a library that the code loads with `require` into the chunk itself. `require` is for code that cannot wait; it
 * takes longer to find and load the library's files than V8 takes to skim its text. The paths of the library's files are
 * added to `inputs`.
 */
export function inlinedLibraries(folder, inputs) {
  return {
    name: "inlined-libraries",
    transform(code) {
      const names = [...code.matchAll(REQUIRED)].map(([, name]) => name);
      if (names.length === 0) return undefined;
      const imports = names.map((name, index) => `import * as inlined${index} from "${MARK}${name}";`);
      let index = 0;
      // On the first line, so that the positions of all others stay.
      return { code: imports.join(" ") + code.replaceAll(REQUIRED, () => `inlined${index++}`), map: null };
    },
    resolveId: (id) => (id.startsWith(MARK) ? id : undefined),
    async load(id) {
      if (!id.startsWith(MARK)) return undefined;
      const library = await bundleLibrary(`export * from "${id.slice(MARK.length)}";`, folder, "esm");
      inputs.push(...library.inputs);
      return { code: library.text, map: { mappings: "" } };
    },
  };
}
