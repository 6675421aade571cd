import type { IncomingHttpHeaders } from "node:http";
import type { ToolDescriptor } from "../../../llm/index.ts";
import { decodeHeaderValue, type ParamHeader, paramHeadersOf, paramValueOf } from "../../schema/index.ts";
import { toolDefinition } from "../offer/tool-definitions.ts";

/** The header declarations of each tool, read once. */
const declarations = new WeakMap<ToolDescriptor, readonly ParamHeader[]>();

/** The first difference between the headers and the arguments of a call; `undefined` if there is none. */
export function paramHeaderMismatch(
  tool: ToolDescriptor,
  args: unknown,
  headers: IncomingHttpHeaders,
): { readonly header: string; readonly body: string } | undefined {
  for (const param of declaredHeaders(tool)) {
    const header = `Mcp-Param-${param.header}`;
    const value = paramValueOf(param, args);
    if (value === undefined) continue;
    const given = headers[header.toLowerCase()];
    const where = param.path.join(".");
    if (given === undefined)
      return { header, body: `the body carries ${where} but the ${header} header is absent` };
    const decoded = decodeHeaderValue(String(given));
    if (decoded === undefined) return { header, body: `the ${header} header is wrapped wrongly` };
    if (!isSameValue(decoded, value)) return { header, body: `the ${header} header does not match ${where}` };
  }
  return undefined;
}

function declaredHeaders(tool: ToolDescriptor): readonly ParamHeader[] {
  let found = declarations.get(tool);
  if (!found) {
    const declared = paramHeadersOf(toolDefinition(tool)["inputSchema"]);
    found = declared.ok ? declared.headers : [];
    declarations.set(tool, found);
  }
  return found;
}

/** Numbers are compared as numbers: `42.0` is `42`. */
function isSameValue(header: string, value: string): boolean {
  if (header === value) return true;
  return /^-?\d+(\.\d+)?$/.test(header) && /^-?\d+(\.\d+)?$/.test(value) && Number(header) === Number(value);
}
