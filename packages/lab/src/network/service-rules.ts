import { runCommand } from "../host/run-command.ts";
import type { NodeAddresses } from "./addresses.ts";

/**
 * Takes from a node without processes the rules that its proxy made, which no machine has after a
 * boot. Where they never were, or nft is not installed, nothing is done.
 */
export async function removeServiceRules({ namespacePath }: NodeAddresses): Promise<void> {
  const nft = ["nsenter", `--net=${namespacePath}`, "nft", "delete", "table", "ip", "kube-proxy"] as const;
  const [program, ...args] = nft;
  await runCommand(program, args).catch(() => {});
}
