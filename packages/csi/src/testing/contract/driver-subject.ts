import type { CsiDriver } from "../../csi-driver.ts";

/** A driver under test, in the view of two nodes. */
export interface DriverSubject extends AsyncDisposable {
  /** All three services; the Node service runs on the node `nodeId`. */
  readonly driver: CsiDriver;
  readonly nodeId: string;
  /** All three services; the Node service runs on the node `otherNodeId`. */
  readonly otherDriver: CsiDriver;
  readonly otherNodeId: string;
  /**
   * True if mounted volumes can be expanded; otherwise the driver rejects the expansion with
   * FAILED_PRECONDITION.
   */
  readonly growsMounted: boolean;
  /** Paths for mounts are below this directory. */
  readonly directory: string;
}

export type MakeSubject = () => Promise<DriverSubject>;
