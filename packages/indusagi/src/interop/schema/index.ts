export { normalizeSchema } from "./normalize-schema.ts";
export {
  decodeHeaderValue,
  type ParamHeader,
  paramHeadersOf,
  paramHeaderValues,
  paramValueOf,
} from "./param-headers.ts";
