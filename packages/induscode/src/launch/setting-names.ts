/** The settings of `settings.json`, as `indus config` names them. */
export const SETTING_NAMES = ["model", "mode", "allow", "deny", "tools", "connectProfile", "share"] as const;
export type SettingName = (typeof SETTING_NAMES)[number];
