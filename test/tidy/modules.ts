import { appModules } from "./app-modules.ts";
import { packageModules } from "./package-modules.ts";

// The layers of a workspace: its modules from the bottom up. A module is a folder below src, or a
// file there. It may import the modules before it, including types.
//
//   src/*.ts          the top level: programs and wiring; imports all, and no module imports it
//   server            ▲
//   …                 │ may import what is below
//   machine/kernel    │
//   base              the bottom: imports no module
export const moduleLayers: Readonly<Record<string, readonly string[]>> = { ...packageModules, ...appModules };
