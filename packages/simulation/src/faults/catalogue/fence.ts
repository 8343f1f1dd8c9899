import { isApiError, nodes, type Taint } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type Fault, type Undo, type World } from "../fault.ts";
import { nodeOf } from "../targets.ts";
import { cutNodePower } from "./nodes.ts";

const second = 1000;
const retryMs = second;
/** The taint of `kintsugi node kill --fence`. */
const taint: Taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
const changeAnnotation = "simulation.kintsugi.dev/fenced";

/** Faults of nodes that users declare to be off. */
export const fenceFaults: readonly Fault[] = [
  {
    name: "fence-node",
    catalogue: ["F28"],
    sentence: "A node loses power, and a user confirms this with the taint out-of-service until the node returns.",
    target: "node",
    lasts: true,
    mayStay: true,
    drawnApart: true,
    inject: async (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      const returnPower = await cutNodePower(world, node);
      const withdraw = vouch(world, node.name);
      return async () => {
        await withdraw();
        await returnPower();
      };
    },
  },
];

/** Sets the taint, with retries until the API is reachable, and removes it in the same way. */
function vouch({ cluster }: World, name: string): Undo {
  const { client, clock } = cluster;
  let isOver = false;
  const write = async (isFenced: boolean) => {
    const { metadata, spec } = await client.get(nodes, { namespace: "", name });
    const others = (spec?.taints ?? []).filter(({ key }) => key !== taint.key);
    // The annotation makes each write a change, so a late write fails by its resourceVersion.
    const annotations = { [changeAnnotation]: `${isFenced} at ${clock.monotonicMs()} ms` };
    const body = {
      metadata: { resourceVersion: metadata.resourceVersion, annotations },
      spec: { taints: isFenced ? [...others, taint] : others },
    };
    await client.patch(nodes, { namespace: "", name }, { type: "merge", body });
  };
  const vouched = insist(clock, () => (isOver ? Promise.resolve() : write(true)));
  return async () => {
    isOver = true;
    await vouched;
    // The machine may be powered on only when no controller considers it off.
    await insist(clock, () => write(false));
  };
}

/** A Node that does not exist does not need a taint, because its pods are orphans. */
async function insist(clock: Clock, write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (isApiError(error, "NotFound")) return;
      await clock.sleep(retryMs);
    }
  }
}
