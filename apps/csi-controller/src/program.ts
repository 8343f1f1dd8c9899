import { defineProgram } from "@kintsugi/controller/program";
import { createCsiClient } from "@kintsugi/csi";
import { flag } from "@kintsugi/daemon";
import { runCsiControllers } from "./csi-controllers.ts";

export const program = defineProgram({
  name: "csi-controller",
  description: "Makes, attaches and deletes the volumes of one CSI driver.",
  port: 10261,
  lease: "kintsugi-csi-controller",
  options: {
    "csi-address": flag.path({
      help: "Path of the driver's socket",
      required: true,
      example: "/run/kintsugi/csi.sock",
    }),
    timeout: flag.durationMs({ help: "Timeout of a call to the driver", fallback: 15_000 }),
  },
  read: (given) => ({ endpoint: `unix://${given["csi-address"]}`, callTimeoutMs: given.timeout }),
  start({ client, clock, random, log, metrics, leaderElection, config: { endpoint, callTimeoutMs } }) {
    const driver = createCsiClient({ clock }, { endpoint, callTimeoutMs });
    const deps = { client, clock, random, log, metrics, driver };
    return { name: "csi-controller", run: (signal) => runCsiControllers(deps, { leaderElection }, signal) };
  },
});
