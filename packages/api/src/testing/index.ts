export { anyBody } from "./any-body.ts";
export { storedTypes } from "./stored-types.ts";
