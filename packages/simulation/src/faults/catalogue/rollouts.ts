import type { ApiObject, Container, ResourceType } from "@kintsugi/api";
import type { PlannedFault } from "../../scenario/scenario.ts";
import type { RollOut } from "../../workloads/workload-kind.ts";
import { kindOf } from "../../workloads/workload-kinds.ts";
import { changeForAWhile } from "../change-for-a-while.ts";
import { type Fault, namespace, pick, alreadyOver, type World } from "../fault.ts";

const versionAnnotation = "simulation.kintsugi.dev/version";
/** A behaviour of the runtimes in memory: containers of this image cannot be created. */
const brokenImage = "script.kintsugi.dev/create-error:no-such-version";

/** The actions of a user with `kubectl rollout`. */
export const rolloutFaults: readonly Fault[] = [
  {
    name: "roll-out",
    catalogue: [],
    sentence: "A user rolls out another version of a workload whose kind can replace its pods.",
    target: "workload",
    lasts: false,
    byUsers: true,
    inject: async (world, planned) => {
      const target = rolledOut(world, planned);
      if (target === undefined) return undefined;
      const { type, name, rollOut } = target;
      const annotations = { [versionAnnotation]: String(world.random.integer(1_000_000)) };
      const body = rollOut.patch({ metadata: { annotations } });
      await world.cluster.client.patch(type, { namespace, name }, { type: "merge", body });
      return alreadyOver;
    },
  },
  {
    name: "roll-out-broken",
    catalogue: [],
    sentence: "A user rolls out a version of a workload whose containers cannot be created, and rolls it back later.",
    target: "workload",
    lasts: true,
    byUsers: true,
    inject: async (world, planned) => {
      const target = rolledOut(world, planned);
      if (target?.rollOut.mendsItself !== true) return undefined;
      const { type, name, rollOut } = target;
      const { client, clock } = world.cluster;
      const template = rollOut.templateOf(await client.get(type, { namespace, name }));
      const present = template?.spec?.containers ?? [];
      if (present.some(({ image }) => image === brokenImage)) return undefined;
      const roll = async (containers: readonly Container[]) => {
        const body = rollOut.patch({ spec: { containers } });
        await client.patch(type, { namespace, name }, { type: "merge", body });
      };
      const broken = present.map((container) => ({ ...container, image: brokenImage }));
      return changeForAWhile(clock, { apply: () => roll(broken), undo: () => roll(present) });
    },
  },
];

interface RolledOut {
  readonly name: string;
  readonly type: ResourceType<ApiObject>;
  readonly rollOut: RollOut;
}

/**
 * A workload that can be rolled out. ReplicaSets cannot be rolled out, so they are never targets.
 */
function rolledOut({ scenario, random }: World, { target }: PlannedFault): RolledOut | undefined {
  const possible = scenario.workloads.flatMap((workload): RolledOut[] => {
    const { type, rollOut } = kindOf(workload);
    return rollOut === undefined ? [] : [{ name: workload.name, type, rollOut }];
  });
  return target === undefined ? pick(random, possible) : possible.find(({ name }) => name === target);
}
