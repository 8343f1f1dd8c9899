import { type Fault, pick, setting, struck } from "./fault.ts";
import { nodeOf } from "./targets.ts";

/** What happens to a node's container runtime and to what runs in it. */
export const runtimeFaults: readonly Fault[] = [
  {
    name: "container-exits",
    catalogue: ["F23"],
    sentence: "A container ends by itself, with code 0, 1 or 2.",
    target: "node",
    lasts: false,
    draw: (random) => ({ exitCode: random.integer(3) }),
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      const victim = node && pick(world.random, node.runtime.running().containers);
      if (victim === undefined) return undefined;
      node?.runtime.exitContainer(victim, { exitCode: setting(planned, "exitCode", 1) });
      return struck;
    },
  },
  {
    name: "oom-kill",
    catalogue: ["F23"],
    sentence: "The kernel kills a container for want of memory.",
    target: "node",
    lasts: false,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      const victim = node && pick(world.random, node.runtime.running().containers);
      if (victim === undefined) return undefined;
      node?.runtime.oomKillContainer(victim);
      return struck;
    },
  },
  {
    name: "kill-sandbox",
    catalogue: ["F23"],
    sentence: "The process that holds a pod's sandbox dies; its containers do not notice.",
    target: "node",
    lasts: false,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      const victim = node && pick(world.random, node.runtime.running().sandboxes);
      if (victim === undefined) return undefined;
      node?.runtime.killSandbox(victim);
      return struck;
    },
  },
  {
    name: "runtime-away",
    catalogue: ["F22"],
    sentence: "A node's container runtime does not answer; its containers run on.",
    target: "node",
    lasts: true,
    mayStay: true,
    inject: (world, planned) => {
      const node = nodeOf(world, planned);
      if (!node) return undefined;
      return world.holds.hold(node.runtime, {
        down: () => node.setRuntimeAvailable(false),
        up: () => node.setRuntimeAvailable(true),
      });
    },
  },
];
