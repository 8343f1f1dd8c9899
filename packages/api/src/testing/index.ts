export { anyBody } from "./any-body.ts";
