import * as z from "zod";
import type { PullOptions } from "@kintsugi/cri";
import type { ConfigSource } from "../containers/config-source.ts";
import type { BoundPod } from "../pods/bound-pod.ts";

const dockerConfig = z.object({
  auths: z.record(
    z.string(),
    z.object({
      username: z.string().optional(),
      password: z.string().optional(),
      auth: z.string().optional(),
      identitytoken: z.string().optional(),
    }),
  ),
});

export type RegistryAuth = NonNullable<PullOptions["auth"]>;

/** The registry credentials that a pod brings in `imagePullSecrets`. A secret that is missing or broken is skipped, as upstream does. */
export class PullSecrets {
  readonly #source: ConfigSource;

  constructor(source: ConfigSource) {
    this.#source = source;
  }

  async of(pod: BoundPod): Promise<RegistryAuth[]> {
    const found: RegistryAuth[] = [];
    for (const { name = "" } of pod.spec.imagePullSecrets ?? []) {
      const secret = await this.#source.findSecret(pod.metadata.namespace, name);
      const config = secret?.data?.[".dockerconfigjson"];
      if (config !== undefined) found.push(...credentialsIn(config));
    }
    return found;
  }
}

function credentialsIn(base64: string): RegistryAuth[] {
  const parsed = dockerConfig.safeParse(parseJson(Buffer.from(base64, "base64").toString("utf8")));
  if (!parsed.success) return [];
  return Object.entries(parsed.data.auths).map(([serverAddress, entry]) => {
    const [user = "", ...password] = Buffer.from(entry.auth ?? "", "base64")
      .toString("utf8")
      .split(":");
    return {
      username: entry.username ?? user,
      password: entry.password ?? password.join(":"),
      serverAddress,
      ...(entry.identitytoken === undefined ? {} : { identityToken: entry.identitytoken }),
    };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
