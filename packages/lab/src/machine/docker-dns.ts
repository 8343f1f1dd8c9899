import { readFile } from "node:fs/promises";
import { writeWhole } from "@kintsugi/daemon";

/**
 * Docker's DNS server responds at this address within a container; the address is useless outside
 * of the container, including in pods.
 */
const dockerDns = "127.0.0.11";
const resolvConf = "/etc/resolv.conf";

/**
 * Writes to `file`, in a container of a Docker network, the resolv.conf for pods with the node's
 * own DNS (`dnsPolicy: Default`), and returns its path. Such pods query the node's proxy, which
 * queries Docker. On any other machine it returns undefined, because pods can use the node's own
 * file.
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
