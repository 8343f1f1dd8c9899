import { onAbort } from "@kintsugi/clock";

/** The words in which upstream's client reports a server's error. */
export function statusText({ status, body }: { status: number; body: string }): string {
  if (status === 404) return "the server could not find the requested resource";
  const shown = JSON.stringify(body.slice(0, 512).trim());
  if (status >= 500) return `an error on the server (${shown}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** Go's words for a call that got no answer. */
export function failureText(error: unknown): string {
  const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === "ECONNREFUSED") return `dial tcp ${address ?? ""}:${port ?? 0}: connect: connection refused`;
  return message;
}

/** Abandons a transport that does not end when its signal aborts. */
export function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(signal.reason as Error));
    if (signal.aborted) reject(signal.reason as Error);
    work.then(resolve, reject).finally(stopListening);
  });
}
