import type { Command } from "./command.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor.ts";
import { down } from "./down.ts";
import { init } from "./init.ts";
import { importImages, join } from "./join.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { node } from "./node.ts";
import { restart } from "./restart.ts";
import { simulate } from "./simulate.ts";
import { snapshot } from "./snapshot.ts";
import { status } from "./status.ts";
import { timeline } from "./timeline.ts";
import { token } from "./token.ts";
import { up } from "./up.ts";

/** Every command, in the order of `kintsugi help`. */
export const commands: readonly Command[] = [
  up,
  down,
  status,
  kubeconfig,
  node,
  restart,
  timeline,
  snapshot,
  init,
  token,
  join,
  importImages,
  demo,
  simulate,
  doctor,
];
