export { type Attachment, openAttachment, scopeOf } from "./attachment.ts";
export {
  type Attached,
  type BackgroundGateway,
  type GatewayReport,
  type Guest,
  openBackgroundGateway,
} from "./gateway.ts";
export { memoryOf } from "./memory.ts";
