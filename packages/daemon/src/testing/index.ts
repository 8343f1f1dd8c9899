export { everythingSaid } from "./everything-said.ts";
