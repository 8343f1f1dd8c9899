import {
  type Container,
  forbidden,
  type Pod,
  pods,
  type ServiceAccount,
  serviceAccounts,
  type Volume,
} from "@kintsugi/api";
import { nameSuffix, type Random } from "@kintsugi/clock";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import { type AdmissionStep, createdObject } from "./admission.ts";

/** The directory in which client libraries look for the token. */
const tokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumeNamePrefix = "kube-api-access-";
/** An hour and a few seconds, upstream's value. The seconds identify the tokens of this volume. */
const tokenSeconds = 3607;

/**
 * Adds the token of the pod's service account to every container, with the cluster's certificate
 * authority and the namespace, and adds the account's image pull secrets to the pod
 * (plugin/pkg/admission/serviceaccount). A pod without an account is unchanged.
 */
export function serviceAccountToken({ random }: { random: Random }): AdmissionStep {
  return {
    name: "ServiceAccount",
    handles: { operations: ["create"], resources: [pods], subresources: [""] },
    mutate: (request) => {
      const { namespace, reader } = request;
      const pod = createdObject(request, pods);
      const spec = pod?.spec;
      const name = spec?.serviceAccountName ?? "";
      if (pod === undefined || spec === undefined || name === "") return;
      const entry = reader.find(storeKey(serviceAccounts, namespace, name));
      if (entry === undefined) {
        const because = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
        throw forbidden(pods, pod.metadata.name ?? "", because);
      }
      const account = decodeEntry(entry) as ServiceAccount;
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
        mountToken(spec, () => `${volumeNamePrefix}${nameSuffix(random)}`);
      }
      if ((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
        spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((secret) => ({ ...secret }));
      }
    },
  };
}

/** Mounts the token in each container that has no mount of its own at that path. */
function mountToken(spec: NonNullable<Pod["spec"]>, newName: () => string): void {
  const volumes = spec.volumes ?? [];
  const present = volumes.find(({ name }) => name.startsWith(volumeNamePrefix));
  const name = present?.name ?? newName();
  let isNeeded = false;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers] as Container[]) {
    if ((container.volumeMounts ?? []).some(({ mountPath }) => mountPath === tokenMountPath)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenMountPath }];
    isNeeded = true;
  }
  if (isNeeded && present === undefined) spec.volumes = [...volumes, tokenVolume(name)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    },
  };
}
