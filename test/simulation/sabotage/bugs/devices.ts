import type { PlantedBug } from "../planted-bug.ts";

const scheduler = "apps/scheduler/src";
const claims = "pods claim devices";

/** Bugs of the allocation of devices. */
export const deviceBugs: readonly PlantedBug[] = [
  {
    name: "the scheduler allocates a device again while its allocation is in flight",
    file: `${scheduler}/scheduling-loop.ts`,
    find: "state.devices.reserve(reservation.devices ?? []);",
    replace: "state.devices.reserve([]);",
    caughtBy: "devices-are-allocated-once",
    run: claims,
    seed: 1,
  },
  {
    name: "a pod is bound while its claims are being written",
    file: `${scheduler}/scheduling-loop.ts`,
    find: "const devices = await prepareDevices(this.#deps, { pod, reservations, signal });",
    replace: "void prepareDevices(this.#deps, { pod, reservations, signal });\n    const devices = undefined;",
    caughtBy: "pods-wait-for-their-devices",
    run: claims,
    seed: 1,
  },
];
