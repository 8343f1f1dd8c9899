import { type Fault } from "./fault.ts";
import { holdDown, serviceOf } from "./targets.ts";

/** What happens to the services of the control plane. */
export const serviceFaults: readonly Fault[] = [
  {
    name: "kill-service",
    catalogue: ["F2", "F3", "F19"],
    sentence: "api-server, scheduler or controller-manager dies, at whatever point it was, and is started again.",
    target: "service",
    lasts: true,
    inject: (world, planned) => {
      const process = serviceOf(world, planned);
      return process && holdDown(world, process);
    },
  },
];
