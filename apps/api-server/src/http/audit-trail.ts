import type { JsonValue } from "@kintsugi/api";

/** The record of one request, to which its stages add the data that the policy selects. */
export interface AuditTrail {
  /** Records the body as it was sent, before it is changed. */
  requestObject(object: JsonValue): void;
  /**
   * Records a fact about the request: "authorization.k8s.io/decision" is "allow".
   * @param from the lowest level at which the fact is recorded; a fact that repeats a body is
   * recorded from Request on
   */
  annotate(key: string, value: string, from?: "Metadata" | "Request"): void;
}
