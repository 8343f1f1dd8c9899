import { runCommand } from "@kintsugi/daemon";
import type { NodeAddresses } from "./addresses.ts";

/**
 * Removes the rules of a node's proxy from a node without processes, because a machine does not
 * have such rules after a boot. Does nothing if the rules never existed, or nft is not installed.
 */
export async function removeServiceRules({ namespacePath }: NodeAddresses): Promise<void> {
  const nft = ["nsenter", `--net=${namespacePath}`, "nft", "delete", "table", "ip", "kube-proxy"] as const;
  const [program, ...args] = nft;
  await runCommand(program, args).catch(() => {});
}
