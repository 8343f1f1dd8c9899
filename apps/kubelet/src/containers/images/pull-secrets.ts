import type { ConfigSource } from "../environment/config-source.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { credentialsIn, type RegistryCredential } from "./registry-credentials.ts";

/**
 * The registry credentials in a pod's `imagePullSecrets`. A secret that is missing or invalid is
 * skipped, as in upstream's `getPullSecretsForPod`.
 */
export class PullSecrets {
  readonly #source: ConfigSource;

  constructor(source: ConfigSource) {
    this.#source = source;
  }

  async of(pod: BoundPod): Promise<{ credentials: RegistryCredential[]; missing: string[] }> {
    const credentials: RegistryCredential[] = [];
    const missing: string[] = [];
    for (const { name = "" } of pod.spec.imagePullSecrets ?? []) {
      const secret = await this.#source.findSecret(pod.metadata.namespace, name);
      if (secret) credentials.push(...credentialsIn(secret));
      else missing.push(name);
    }
    return { credentials, missing };
  }
}
