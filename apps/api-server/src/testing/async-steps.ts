import type { AdmissionRequest, AsyncAdmissionStep } from "../admission/admission.ts";

/** An asynchronous step that handles everything, unless `more` narrows it. */
export function anAsyncStep(more: Partial<AsyncAdmissionStep> = {}): AsyncAdmissionStep {
  return {
    name: "Waiting",
    handles: { operations: ["create", "update", "delete", "connect"] },
    timeoutMs: 10_000,
    ...more,
  };
}

/**
 * Reports whether a request comes from a client, because a server also admits the objects that it
 * creates at its start.
 */
export function isOfTest({ user }: AdmissionRequest): boolean {
  return user.name === "admin";
}

/** A step that records its requests, and calls `then` with them. */
export function recordingStep(
  then: (request: AdmissionRequest, signal: AbortSignal) => Promise<undefined> = async () => undefined,
): { step: AsyncAdmissionStep; seen: AdmissionRequest[] } {
  const seen: AdmissionRequest[] = [];
  const step = anAsyncStep({
    validateAsync: async (request, signal) => {
      if (!isOfTest(request)) return undefined;
      seen.push(request);
      return then(request, signal);
    },
  });
  return { step, seen };
}

/** A promise that a test resolves. */
export interface StepGate {
  readonly opened: Promise<undefined>;
  open(): void;
}

export function aGate(): StepGate {
  let open = (): void => {};
  const opened = new Promise<undefined>((resolve) => (open = () => resolve(undefined)));
  return { opened, open };
}
