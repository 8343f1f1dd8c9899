import { readFile, writeFile } from "node:fs/promises";
import type { Logger } from "@kintsugi/api";

/** The setting of the reader's own network namespace. */
const switchFile = "/proc/sys/net/bridge/bridge-nf-call-iptables";

/**
 * Makes the kernel apply the rules to packets between two pods of this node, which the bridge
 * forwards by itself; upstream's proxy does the same. Returns whether these packets bypass the
 * rules nevertheless, because a kernel without br_netfilter has no such setting.
 */
export async function bridgeBypassesRules(log: Logger): Promise<boolean> {
  try {
    if ((await readFile(switchFile, "utf8")).trim() !== "1") await writeFile(switchFile, "1");
    return false;
  } catch (error) {
    log.warn("packets on the bridge bypass the rules: packets between pods of this node are masqueraded", {
      error,
    });
    return true;
  }
}
