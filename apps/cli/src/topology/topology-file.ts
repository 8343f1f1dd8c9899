import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  faultsOfTopology,
  type HostSize,
  InvalidSpec,
  TopologyFile,
  type DesiredSettings,
  desiredOfTopology,
} from "@kintsugi/lab";
import { InvalidFile, parseYaml } from "@kintsugi/yaml-text";
import { CommandError } from "../base/command.ts";

// A topology describes a cluster of this host for `kintsugi up --config FILE`:
//
//   apiVersion: kintsugi.dev/v1
//   kind: Topology
//   name: shop
//   profile: fast
//   nodes:
//     - count: 2
//       zone: a
//       labels: { disk: ssd }
//     - name: database-1
//       zone: b
//       taints: ["dedicated=database:NoSchedule"]
//       kubelet: { max-pods: 20 }
//   images: [app.tar]
//   ports:
//     - { host: 8080, node: database-1, port: 30080 }
//   cloud:
//     groups:
//       - { name: small, max: 3, cpu: 1, priority: 10 }

/**
 * Reads a topology file for this host.
 * @throws CommandError with all faults of the file, each with its line and column.
 */
export function readTopology(file: string, host: HostSize): DesiredSettings {
  try {
    const text = readFileSync(file, "utf8");
    const parsed = parseYaml(text, { schema: TopologyFile, source: file, whole: "topology" });
    const at = { directory: dirname(resolve(file)), host };
    const faults = faultsOfTopology(parsed.value, at);
    if (faults.length > 0) throw parsed.invalid(faults);
    return desiredOfTopology(parsed.value, at);
  } catch (error) {
    if (isMissing(error))
      throw new CommandError(
        `--config ${file} ${whyUnread(error)}: name a topology file, as docs/recipes/describe-a-topology.md describes`,
        {
          cause: error,
        },
      );
    if (error instanceof InvalidFile || error instanceof InvalidSpec)
      throw new CommandError((error as Error).message, { cause: error });
    throw error;
  }
}

/** Explains why a file cannot be read. */
function whyUnread(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "does not exist";
  return code === "EISDIR" ? "is a directory" : "may not be read by this user";
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "");
}
