import { readFile } from "node:fs/promises";
import { writeWhole } from "../cluster/write-whole.ts";

/**
 * Docker answers for names at this address within a container; there is nothing behind that address
 * anywhere else, pods included.
 */
const dockerDns = "127.0.0.11";
const resolvConf = "/etc/resolv.conf";

/**
 * Writes, in a container of a Docker network, the resolv.conf for pods with the node's own
 * (`dnsPolicy: Default`) to `file`, whose path it returns. They query the node's proxy, which
 * queries Docker. On any other machine, undefined: they can have the node's own.
 */
export async function writePodsResolvConf(file: string, nodeIp: string): Promise<string | undefined> {
  const forPods = podsResolvConf(await readFile(resolvConf, "utf8"), nodeIp);
  if (forPods === undefined) return undefined;
  await writeWhole(file, forPods);
  return file;
}

export function podsResolvConf(ofNode: string, nodeIp: string): string | undefined {
  return ofNode.includes(dockerDns) ? ofNode.replaceAll(dockerDns, nodeIp) : undefined;
}
