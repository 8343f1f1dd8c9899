import { regionLabel, zoneLabel } from "@kintsugi/api";

/**
 * Labels under this prefix decide where workloads may run. A kubelet that could set them could
 * attract workloads.
 */
const restrictedNamespace = "node-restriction.kubernetes.io";

const kubernetesNamespaces = ["kubernetes.io", "k8s.io"];

/** The labels of Kubernetes that a kubelet sets. */
const kubeletLabels = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  zoneLabel,
  regionLabel,
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
]);
const kubeletNamespaces = ["kubelet.kubernetes.io", "node.kubernetes.io"];

type Labels = Readonly<Record<string, string>> | undefined;

/** The labels that differ and that a kubelet must not set, change or remove; sorted. */
export function findForbiddenLabelChanges(labels: Labels, before: Labels): string[] {
  const [now, then] = [labels ?? {}, before ?? {}];
  const changed = [...new Set([...Object.keys(now), ...Object.keys(then)])].filter(
    (label) => !Object.hasOwn(now, label) || !Object.hasOwn(then, label) || now[label] !== then[label],
  );
  return changed.filter(isForbiddenToKubelets).toSorted();
}

/** Reports whether NodeRestriction rejects the label when a kubelet writes it on its own Node. */
export function isForbiddenToKubelets(label: string): boolean {
  const namespace = label.includes("/") ? label.slice(0, label.indexOf("/")) : "";
  if (isWithin(namespace, [restrictedNamespace])) {
    return true;
  }
  const isKubeletLabel = kubeletLabels.has(label) || isWithin(namespace, kubeletNamespaces);
  return isWithin(namespace, kubernetesNamespaces) && !isKubeletLabel;
}

function isWithin(namespace: string, parents: readonly string[]): boolean {
  return parents.some((parent) => namespace === parent || namespace.endsWith(`.${parent}`));
}
