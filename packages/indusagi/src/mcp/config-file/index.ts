export {
  ensureProjectConfigDir,
  ensureUserConfigDir,
  getProjectConfigPath,
  getUserConfigPath,
} from "./config-paths.ts";
export { createDefaultConfig, EXAMPLE_CONFIG } from "./example-config.ts";
export {
  diagnosticLine,
  type LoadMCPConfigOptions,
  loadMCPConfig,
  readMCPConfig,
  toConnectionOptions,
} from "./load-mcp-config.ts";
export { saveConfig, saveProjectConfig, saveUserConfig } from "./save-config.ts";
