/** The part of a browser's worker that a page uses. */
export interface WorkerPart<Request, Answer> {
  postMessage(request: Request): void;
  onmessage: ((event: MessageEvent<Answer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** A worker whose program is loaded by its first request, or by `start`. */
export interface LateWorker<Request, Answer> extends WorkerPart<Request, Answer> {
  start(): void;
}

/**
 * Delays a worker until it is needed. The program has megabytes, so that the page's own code and
 * the first run would wait for it.
 */
export function lateWorker<Request, Answer>(create: () => WorkerPart<Request, Answer>): LateWorker<Request, Answer> {
  let started: WorkerPart<Request, Answer> | undefined;
  const start = () => {
    if (started !== undefined) return started;
    started = create();
    started.onmessage = (event) => late.onmessage?.(event);
    started.onerror = (event) => late.onerror?.(event);
    return started;
  };
  const late: LateWorker<Request, Answer> = {
    onmessage: null,
    onerror: null,
    postMessage: (request) => start().postMessage(request),
    start: () => void start(),
  };
  return late;
}
