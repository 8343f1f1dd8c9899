import { type NodeStatus, sameJson } from "@kintsugi/api";

/** Determines whether the API already has a Node's status, apart from the heartbeats. */
export class StoredStatus {
  /**
   * The last written status and the part of it that the server stored, if they differ: an older
   * server drops the fields that it does not have.
   */
  #kept: { written: NodeStatus; stored: NodeStatus } | undefined;

  noteWrite(written: NodeStatus, stored: NodeStatus): void {
    this.#kept = sameApartFromHeartbeat(stored, written) ? undefined : { written, stored };
  }

  /** Reports whether `stored` has as much of this status as the server stores. */
  isUpToDate(stored: NodeStatus | undefined, status: NodeStatus): boolean {
    if (sameApartFromHeartbeat(stored, status)) return true;
    if (this.#kept === undefined) return false;
    return sameApartFromHeartbeat(this.#kept.written, status) && sameApartFromHeartbeat(stored, this.#kept.stored);
  }
}

function sameApartFromHeartbeat(a: NodeStatus | undefined, b: NodeStatus): boolean {
  return a !== undefined && sameJson(withoutHeartbeat(a), withoutHeartbeat(b));
}

function withoutHeartbeat(status: NodeStatus): unknown {
  const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, lastHeartbeatTime: undefined }));
  return { ...status, conditions };
}
