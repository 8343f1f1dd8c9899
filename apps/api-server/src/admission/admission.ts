import type { ApiError } from "@kintsugi/api";
import type { StoreReader } from "@kintsugi/store";
import type { UserInfo } from "../authorization/authorization.ts";
import type { KubeObject, Resource } from "../resources/resource.ts";

/** A write as admission sees it. Steps may change `object` when the write creates it or updates its spec. */
export interface AdmissionRequest {
  readonly operation: "create" | "update" | "delete" | "connect";
  readonly user: UserInfo;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The object as it would be stored, or the body of a subresource (Binding, Eviction); absent for deletes. */
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly reader: Pick<StoreReader, "find">;
}

/** One rule. Synchronous, because it runs while a write's batch is formed. */
export interface AdmissionStep {
  /** Upstream's name of the plugin. */
  readonly name: string;
  /** Changes `request.object`. */
  mutate?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): ApiError | undefined;
}

export interface Admission {
  mutate(request: AdmissionRequest): void;
  /** @throws ApiError what the first step that refuses says. */
  validate(request: AdmissionRequest): void;
}

export function createAdmission(steps: readonly AdmissionStep[]): Admission {
  const mutating = steps.filter((step) => step.mutate !== undefined);
  const validating = steps.filter((step) => step.validate !== undefined);
  return {
    mutate: (request) => {
      for (const step of mutating) step.mutate?.(request);
    },
    validate: (request) => {
      for (const step of validating) {
        const refusal = step.validate?.(request);
        if (refusal !== undefined) throw refusal;
      }
    },
  };
}
