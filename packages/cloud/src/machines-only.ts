import { CloudError } from "./cloud-error.ts";
import type { CloudProvider } from "./cloud-provider.ts";

type MachineCall = "listInstances" | "findInstance" | "actOnInstance";

/**
 * The calls of a cloud that has only machines: other requests are rejected, and other lists are
 * empty.
 * @param machines as in "domains of libvirt"
 */
export function machinesOnly(machines: string): Omit<CloudProvider, MachineCall> {
  const refuse = async (what: string): Promise<never> => {
    throw new CloudError(
      "InvalidRequest",
      `${machines} have no ${what}: \`kintsugi up --cloud\` has a cloud with them`,
    );
  };
  return {
    ensureLoadBalancer: () => refuse("load balancers"),
    findLoadBalancer: async () => ({}),
    deleteLoadBalancer: async () => ({}),
    ensureRoute: () => refuse("routes"),
    listRoutes: async () => ({ routes: [] }),
    deleteRoute: async () => ({}),
    listNodeGroups: async () => ({ groups: [] }),
    resizeNodeGroup: () => refuse("node groups"),
    deleteMachines: () => refuse("node groups"),
  };
}
