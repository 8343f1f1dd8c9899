import type { AttachRequest } from "../../messages/container.ts";

/** The streams of one command, or of a container's own program. */
export interface CommandIo {
  write(stream: "stdout" | "stderr", text: string): void;
  /** The whole input, once it has ended; absent without input. */
  readonly input?: Promise<string>;
}

/**
 * Carries streams to a fake runtime's callers. Without streams, the addresses that the runtime
 * returns are unreachable.
 */
export interface FakeStreams {
  /**
   * A one-time address of these streams. `run` begins when the client has connected, and returns
   * the exit code.
   */
  open(kind: "exec" | "attach", request: AttachRequest, run: (io: CommandIo) => Promise<number>): string;
  /**
   * Opens a stream, as `open` does, for connections to the ports of a pod.
   * @param answerOf returns the answer of a port; undefined for a closed port
   */
  openPortForward(answerOf: (port: number) => string | undefined): string;
}
