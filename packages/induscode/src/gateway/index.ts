export { joinBoxes } from "./join-boxes.ts";
