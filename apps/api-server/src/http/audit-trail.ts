import type { JsonValue } from "../json.ts";

/** The record of one request, to which its stages add what the policy wants to keep. */
export interface AuditTrail {
  /** Records the body as it was sent, before anything has changed it. */
  requestObject(object: JsonValue): void;
  /**
   * Records a fact about the request: "authorization.k8s.io/decision" is "allow".
   * @param from the level from which on it is recorded; one that repeats a body is from Request on
   */
  annotate(key: string, value: string, from?: "Metadata" | "Request"): void;
}
