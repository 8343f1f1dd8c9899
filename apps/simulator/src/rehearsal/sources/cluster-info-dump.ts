import type { ListedKind } from "@kintsugi/rehearsal";

/** The lists that `kubectl cluster-info dump` writes for each namespace, by their file names. */
const filesOfNamespace = {
  events: { apiVersion: "v1", kind: "Event" },
  "replication-controllers": { apiVersion: "v1", kind: "ReplicationController" },
  services: { apiVersion: "v1", kind: "Service" },
  daemonsets: { apiVersion: "apps/v1", kind: "DaemonSet" },
  deployments: { apiVersion: "apps/v1", kind: "Deployment" },
  replicasets: { apiVersion: "apps/v1", kind: "ReplicaSet" },
  pods: { apiVersion: "v1", kind: "Pod" },
} as const;

const nodesFile = /^nodes\.(json|ya?ml)$/;
const listFile = /^([^/]+)\/([a-z-]+)\.(json|ya?ml)$/;
/** The fewest such files of a dump. Other directories may also have one file of such a name. */
const filesMin = 3;

/**
 * Returns the facts that a directory of `kubectl cluster-info dump` does not show, as refused
 * lists: files that are missing, and namespaces that were not dumped. Undefined for another
 * directory.
 * @param paths the paths of its files, relative to the directory.
 */
export function missingOfClusterInfo(paths: readonly string[]): ListedKind[] | undefined {
  if (!paths.some((path) => nodesFile.test(path))) return undefined;
  const namespaces = new Map<string, Set<string>>();
  for (const path of paths) {
    const [, namespace = "", file = ""] = listFile.exec(path) ?? [];
    if (!Object.hasOwn(filesOfNamespace, file)) continue;
    namespaces.set(namespace, (namespaces.get(namespace) ?? new Set()).add(file));
  }
  if (![...namespaces.values()].some((files) => files.size >= filesMin)) return undefined;
  const names = [...namespaces.keys()].toSorted();
  const others = {
    apiVersion: "v1",
    kind: "Namespace",
    refused: `this dump has only the namespaces ${names.join(", ")} (\`kubectl cluster-info dump --all-namespaces\` writes all namespaces)`,
  };
  const missing = Object.entries(filesOfNamespace).flatMap(([file, of]) => {
    const without = names.filter((name) => namespaces.get(name)?.has(file) !== true);
    if (without.length === 0) return [];
    return [
      {
        ...of,
        refused: `the dump is incomplete because it does not contain ${file} of ${without.join(", ")}: write the dump again`,
      },
    ];
  });
  return [others, ...missing];
}
