export {
  type Addon,
  type AddonCall,
  type AddonTool,
  type AroundCall,
  type LoadedAddons,
  loadAddons,
} from "./load-addons.ts";
