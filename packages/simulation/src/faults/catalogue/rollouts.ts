import { type Container, type Deployment, deployments } from "@kintsugi/api";
import type { PlannedFault } from "../../scenario/scenario.ts";
import { changeForAWhile } from "../change-for-a-while.ts";
import { type Fault, namespace, pick, struck, type World } from "../fault.ts";

const versionAnnotation = "simulation.kintsugi.dev/version";
/** A behaviour of the runtimes in memory: no container of it can be made. */
const brokenImage = "script.kintsugi.dev/create-error:no-such-version";

/** What somebody with `kubectl rollout` does. */
export const rolloutFaults: readonly Fault[] = [
  {
    name: "roll-out",
    catalogue: [],
    sentence: "A user rolls out another version of a Deployment.",
    target: "workload",
    lasts: false,
    byUsers: true,
    inject: async (world, planned) => {
      const name = deploymentOf(world, planned);
      if (name === undefined) return undefined;
      const annotations = { [versionAnnotation]: String(world.random.integer(1_000_000)) };
      const body = { spec: { template: { metadata: { annotations } } } };
      await world.cluster.client.patch(deployments, { namespace, name }, { type: "merge", body });
      return struck;
    },
  },
  {
    name: "roll-out-broken",
    catalogue: [],
    sentence: "A user rolls out a version of a Deployment whose containers cannot be made, and goes back later.",
    target: "workload",
    lasts: true,
    byUsers: true,
    inject: async (world, planned) => {
      const name = deploymentOf(world, planned);
      if (name === undefined) return undefined;
      const { client, clock } = world.cluster;
      const present = containersOf(await client.get(deployments, { namespace, name }));
      if (present.some(({ image }) => image === brokenImage)) return undefined;
      const roll = async (containers: readonly Container[]) => {
        const body = { spec: { template: { spec: { containers } } } };
        await client.patch(deployments, { namespace, name }, { type: "merge", body });
      };
      const broken = present.map((container) => ({ ...container, image: brokenImage }));
      return changeForAWhile(clock, { apply: () => roll(broken), undo: () => roll(present) });
    },
  },
];

/** A ReplicaSet's pods are never rolled out: there is nothing to hit. */
function deploymentOf({ scenario, random }: World, { target }: PlannedFault): string | undefined {
  const possible = scenario.workloads.filter(({ kind }) => kind === "Deployment").map(({ name }) => name);
  if (target === undefined) return pick(random, possible);
  return possible.includes(target) ? target : undefined;
}

function containersOf({ spec }: Deployment): Container[] {
  return spec?.template.spec?.containers ?? [];
}
