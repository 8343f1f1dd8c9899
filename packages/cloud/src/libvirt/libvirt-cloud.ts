import { CloudError } from "../cloud-error.ts";
import { machinesOnly } from "../machines-only.ts";
import type { CloudProvider, CloudRequest, Instance } from "../cloud-provider.ts";
import { type Domain, expectDone, leasedAddresses, listDomains, metadataOf } from "./domains.ts";
import type { Virsh } from "./virsh.ts";

// The domains of a libvirt as a cloud. A domain is a machine with the domain's name, without the
// prefix.
//
//   virsh destroy vagrant_node-2     its machine is off
//   virsh undefine vagrant_node-2    its machine no longer exists
//
// Calls for load balancers, node groups and routes are rejected.

const place = "libvirt";
const providerPrefix = "libvirt://";

export interface LibvirtCloudOptions {
  /**
   * Prefix of the domains that are machines. The rest of the domain's name is the Node's name:
   * vagrant-libvirt names domains "DIRECTORY_node-1". The prefix "" selects all domains.
   */
  readonly domainPrefix: string;
}

/**
 * Number of domains whose details are read at the same time: libvirtd serves 20 clients of a socket
 * by default.
 */
const readersMax = 4;

/** Returns the cloud of the domains of a host. Every call throws CloudError. */
export function createLibvirtCloud(virsh: Virsh, { domainPrefix }: LibvirtCloudOptions): CloudProvider {
  const nodeName = ({ name }: Domain) => name.slice(domainPrefix.length);
  const machines = async (signal?: AbortSignal): Promise<Domain[]> =>
    (await listDomains(virsh, signal)).filter(
      (domain) => domain.name.startsWith(domainPrefix) && isNodeName(nodeName(domain)),
    );
  const instanceOf = async (domain: Domain, signal?: AbortSignal): Promise<Instance> => {
    const { zone = place, type = "domain", address } = await metadataOf(virsh, domain, signal);
    const addresses = address === undefined ? await leasedAddresses(virsh, domain, signal) : [address];
    const name = nodeName(domain);
    return {
      providerId: `${providerPrefix}${domain.uuid}`,
      name,
      state: domain.power === "off" ? "stopped" : "running",
      instanceType: type,
      region: place,
      zone,
      addresses: [
        ...addresses.slice(0, 15).map((each) => ({ type: "InternalIP" as const, address: each })),
        { type: "Hostname", address: name },
      ],
    };
  };
  return {
    async listInstances(_, signal) {
      const waiting = await machines(signal);
      const instances = new Map<string, Instance>();
      const order = waiting.map(({ uuid }) => uuid);
      const read = async () => {
        for (let domain = waiting.shift(); domain !== undefined; domain = waiting.shift())
          instances.set(domain.uuid, await instanceOf(domain, signal));
      };
      await Promise.all(Array.from({ length: readersMax }, read));
      return { instances: order.flatMap((uuid) => instances.get(uuid) ?? []) };
    },
    async findInstance({ providerId, name }, signal) {
      if (providerId === undefined && name === undefined)
        throw new CloudError("InvalidRequest", "a machine is found by providerId or name");
      const domain = (await machines(signal)).find((each) =>
        providerId === undefined ? nodeName(each) === name : `${providerPrefix}${each.uuid}` === providerId,
      );
      return domain === undefined ? {} : { instance: await instanceOf(domain, signal) };
    },
    async actOnInstance({ name, action }, signal) {
      const domain = (await machines(signal)).find((each) => nodeName(each) === name);
      if (domain === undefined) throw new CloudError("NotFound", `libvirt has no domain ${domainPrefix}${name}`);
      await act(virsh, { domain, action }, signal);
      return {};
    },
    ...machinesOnly("domains of libvirt"),
  };
}

async function act(
  virsh: Virsh,
  { domain, action }: { domain: Domain; action: CloudRequest<"actOnInstance">["action"] },
  signal?: AbortSignal,
): Promise<void> {
  const { uuid, power } = domain;
  if (action === "start") {
    if (power !== "on") expectDone(await virsh(["start", uuid], signal));
    return;
  }
  if (power === "on") expectDone(await virsh(["destroy", uuid], signal));
  if (action === "terminate") await undefine(virsh, uuid, signal);
  else if (power === "saved") expectDone(await virsh(["managedsave-remove", uuid], signal));
}

/** The domain's disks remain, because another domain may use them. */
async function undefine(virsh: Virsh, uuid: string, signal?: AbortSignal): Promise<void> {
  const records = ["--managed-save", "--snapshots-metadata", "--checkpoints-metadata"];
  const answer = await virsh(["undefine", uuid, ...records, "--nvram"], signal);
  // Only drivers whose machines have firmware with variables support the last option.
  const isUnknown = answer.exitCode !== 0 && answer.errors.includes("unsupported flags");
  expectDone(isUnknown ? await virsh(["undefine", uuid, ...records], signal) : answer);
}

/** A domain with another name does not belong to a Node. */
function isNodeName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(name);
}
