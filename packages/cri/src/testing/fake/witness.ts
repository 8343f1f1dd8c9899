import type { ContainerStatus } from "../../container-runtime.ts";

/** Something that happens to a container, whether or not anybody is told of it. */
export interface ContainerHappening {
  /** "stopping": somebody asks for the end of one that runs. "deleted" has it as it was. */
  readonly type: "created" | "started" | "stopping" | "stopped" | "oom" | "deleted";
  readonly container: ContainerStatus;
  readonly sandboxId: string;
  /** Whether the process that holds its sandbox lives. */
  readonly sandboxReady: boolean;
}

/** Is told at once; must not throw. */
export type ContainerWitness = (happening: ContainerHappening) => void;
