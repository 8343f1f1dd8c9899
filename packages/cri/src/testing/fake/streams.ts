import type { AttachRequest } from "../../container-runtime.ts";

/** The streams of one command, or of a container's own program. */
export interface CommandIo {
  write(stream: "stdout" | "stderr", text: string): void;
  /** All of the input, once it has ended; absent when there is none. */
  readonly input?: Promise<string>;
}

/**
 * Carries streams to a fake runtime's callers. Addresses that the runtime returns lead nowhere
 * where this is absent.
 */
export interface FakeStreams {
  /**
   * An address at which these streams can be had, once; `run` begins when they are, and gives the
   * exit code.
   */
  open(kind: "exec" | "attach", request: AttachRequest, run: (io: CommandIo) => Promise<number>): string;
  /**
   * The same for connections into a pod.
   * @param answerOf returns the text that a port answers; nothing listens where it is undefined.
   */
  openPortForward(answerOf: (port: number) => string | undefined): string;
}
