import type { ContainerStatus } from "../../messages/container.ts";

/** An event of a container, whether or not it is reported to any client. */
export interface ContainerHappening {
  /**
   * "stopping": a client requested the end of a running container. "deleted" has its last state.
   */
  readonly type: "created" | "started" | "stopping" | "stopped" | "oom" | "deleted";
  readonly container: ContainerStatus;
  readonly sandboxId: string;
  /** The sandbox's process is running. */
  readonly sandboxReady: boolean;
}

/** Called immediately; must not throw. */
export type ContainerWitness = (happening: ContainerHappening) => void;
