export { networkFetch } from "./network-fetch.ts";
