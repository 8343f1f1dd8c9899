import { isIPv4 } from "node:net";
import { CloudError } from "../cloud-error.ts";
import type { Virsh, VirshAnswer } from "./virsh.ts";

// Parses virsh's lists of domains. A line of another form fails the whole answer, because a domain
// that is not read would be considered a machine that no longer exists.
//
//   list --all --uuid --name             6695eb01-f6a4-8304-79aa-97f2502e193f vagrant_node-1
//   list --all --uuid --state-shutoff    6695eb01-f6a4-8304-79aa-97f2502e193f
//   list --all --uuid --with-managed-save
//   metadata UUID NAMESPACE              <machine zone="east" address="10.200.0.11"/>
//   domifaddr UUID                        vnet0  52:54:00:aa:bb:cc  ipv4  192.168.122.3/24

/**
 * The namespace of a domain's metadata with the properties that a cloud reports about a machine.
 */
const metadataNamespace = "http://kintsugi.dev/libvirt/1.0";

export interface Domain {
  readonly uuid: string;
  readonly name: string;
  /**
   * A domain whose memory is saved continues where it was, with its processes, so it is not a
   * machine that is off. A domain that crashed, or is about to shut down, may still use its
   * resources.
   */
  readonly power: "on" | "saved" | "off";
}

/** This project's metadata of a domain; absent parts are unknown. */
export interface DomainMetadata {
  readonly zone?: string;
  readonly type?: string;
  /** IPv4; replaces the addresses that libvirt's networks have leased. */
  readonly address?: string;
}

const uuidPattern = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const domainsMax = 1000;

/** Returns every domain of the host. @throws CloudError "Unavailable" */
export async function listDomains(virsh: Virsh, signal?: AbortSignal): Promise<Domain[]> {
  const named = matches(await virsh(["list", "--all", "--uuid", "--name"], signal), `(${uuidPattern})\\s+(\\S.*)`);
  const uuidsOf = async (filter: string) =>
    new Set(
      matches(await virsh(["list", "--all", "--uuid", filter], signal), `(${uuidPattern})`).map(([uuid]) => uuid),
    );
  const off = await uuidsOf("--state-shutoff");
  const saved = await uuidsOf("--with-managed-save");
  if (named.length > domainsMax)
    throw new CloudError("Unavailable", `libvirt has ${named.length} domains, and at most ${domainsMax} are read`);
  return named.map(([uuid = "", name = ""]) => ({
    uuid,
    name: name.trimEnd(),
    power: !off.has(uuid) ? "on" : saved.has(uuid) ? "saved" : "off",
  }));
}

/** @throws CloudError "Unavailable"; "InvalidRequest" for metadata that is not well-formed. */
export async function metadataOf(virsh: Virsh, { uuid, name }: Domain, signal?: AbortSignal): Promise<DomainMetadata> {
  const answer = await virsh(["metadata", uuid, metadataNamespace], signal);
  if (answer.exitCode !== 0 && /metadata not found/i.test(answer.errors)) return {};
  const text = expectDone(answer).output.trim();
  const attributes = /^<(?:[\w.-]+:)?machine((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?:\/>|>\s*<\/)/.exec(
    text,
  )?.[1];
  if (attributes === undefined)
    throw new CloudError("InvalidRequest", `the metadata of domain ${name} is not one element <machine …/>`);
  const values = new Map<string, string>();
  for (const [, key = "", , value = ""] of attributes.matchAll(/([\w:.-]+)\s*=\s*(["'])(.*?)\2/g))
    values.set(key, value);
  const checked = (key: string, isGood: (value: string) => boolean, wanted: string) => {
    const value = values.get(key);
    if (value === undefined || isGood(value)) return value === undefined ? {} : { [key]: value };
    throw new CloudError(
      "InvalidRequest",
      `the metadata of domain ${name} has a ${key} that is not a valid ${wanted}: ${value}`,
    );
  };
  return {
    ...checked("zone", isLabelValue, "value of a label"),
    ...checked("type", isLabelValue, "value of a label"),
    ...checked("address", isIPv4, "IPv4 address"),
  };
}

/**
 * Returns the addresses that libvirt's networks have leased to the domain. The list is empty
 * without a lease or without power, and if they cannot be read, because the machine's existence
 * does not depend on them. The guest and the ARP table are not queried, because a guest could claim
 * any address.
 */
export async function leasedAddresses(virsh: Virsh, { uuid }: Domain, signal?: AbortSignal): Promise<string[]> {
  const { exitCode, output } = await virsh(["domifaddr", uuid, "--source", "lease"], signal);
  if (exitCode !== 0) return [];
  const found = [...output.matchAll(/\sipv4\s+([\d.]+)\/\d+\s*$/gm)].map(([, address = ""]) => address);
  return [...new Set(found.filter((address) => isIPv4(address)))];
}

/** @throws CloudError "Unavailable" with libvirt's own message. */
export function expectDone(answer: VirshAnswer): VirshAnswer {
  if (answer.exitCode === 0) return answer;
  const words = answer.errors
    .replaceAll(/^error:\s*/gm, "")
    .trim()
    .replaceAll(/\s*\n\s*/g, ": ");
  throw new CloudError("Unavailable", `libvirt: ${words.slice(0, 500) || `virsh ended with ${answer.exitCode}`}`);
}

/**
 * Returns the groups of the pattern for each line.
 * @throws CloudError for a line of another form.
 */
function matches(answer: VirshAnswer, pattern: string): string[][] {
  const line = new RegExp(`^\\s*${pattern}\\s*$`);
  return expectDone(answer)
    .output.split("\n")
    .filter((text) => text.trim() !== "")
    .map((text) => {
      const found = line.exec(text);
      if (found === null)
        throw new CloudError("Unavailable", `libvirt's list of domains has an unknown line: ${text.slice(0, 100)}`);
      return found.slice(1);
    });
}

function isLabelValue(value: string): boolean {
  return /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(value);
}
